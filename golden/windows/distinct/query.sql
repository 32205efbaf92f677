-- DISTINCT groups by all columns.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT DISTINCT zone, window_start FROM TUMBLE(trips, ts, INTERVAL 1 MINUTE) EMIT ON WINDOW CLOSE;
