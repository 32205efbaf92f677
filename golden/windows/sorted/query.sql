-- Rows without an aggregate leave in order of time.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT zone, fare FROM trips WHERE fare > 3 EMIT ON WINDOW CLOSE;
