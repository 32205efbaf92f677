-- A view without the clause is closed by the query that has it.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
CREATE VIEW totals AS
SELECT zone, window_start, sum(fare) AS fares FROM TUMBLE(trips, ts, INTERVAL 1 MINUTE)
GROUP BY zone, window_start;
SELECT zone, fares FROM totals WHERE fares > 100 EMIT ON WINDOW CLOSE;
