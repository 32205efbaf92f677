-- Two queries without a sink: only the last one is run.
CREATE SOURCE trips (ts TIMESTAMP, arrival TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'trips');
SELECT zone FROM trips WHERE ts + INTERVAL 5 MINUTES <= WATERMARK_TS();
SELECT fare FROM trips;
