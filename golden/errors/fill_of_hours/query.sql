-- A key that is computed of the time has another value in each window: no series to fill.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT hour(ts), window_start, count(*) AS n
FROM TUMBLE(trips, ts, INTERVAL 10 MINUTES) FILL (0) FOR INTERVAL 1 MINUTE
GROUP BY hour(ts), window_start EMIT ON WINDOW CLOSE;
