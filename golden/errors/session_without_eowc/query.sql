-- An open session may change.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT zone FROM SESSION(trips, ts, zone, INTERVAL 1 HOUR);
