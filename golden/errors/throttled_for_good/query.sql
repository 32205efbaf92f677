-- Rows that stay are told once, each when it is there.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'trips');
SELECT zone FROM trips WHERE fare > 1 EMIT CHANGES EVERY INTERVAL 1 MINUTE;
