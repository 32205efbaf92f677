-- Not every aggregate has a form for distinct values.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT window_start, stddev(DISTINCT fare) AS s FROM TUMBLE(trips, ts, INTERVAL 1 HOUR) GROUP BY window_start EMIT ON WINDOW CLOSE;
