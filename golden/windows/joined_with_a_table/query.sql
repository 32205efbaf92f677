-- Windows of a stream joined with a table: columns get names of one relation.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
CREATE TABLE zones (zone STRING, borough STRING) USING parquet OPTIONS (path 'zones');
SELECT z.borough, t.window_start, sum(t.fare) AS fares
FROM TUMBLE(trips, ts, INTERVAL 1 HOUR) AS t JOIN zones AS z ON t.zone = z.zone
GROUP BY z.borough, t.window_start
EMIT ON WINDOW CLOSE;
