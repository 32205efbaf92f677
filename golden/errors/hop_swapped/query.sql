-- The slide comes before the size.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT window_start, count(*) AS n FROM HOP(trips, ts, INTERVAL 1 HOUR, INTERVAL 1 MINUTE) GROUP BY window_start EMIT ON WINDOW CLOSE;
