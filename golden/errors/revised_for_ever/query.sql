-- Without an end all rows of all windows would be kept.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT window_start, count(*) AS n FROM TUMBLE(trips, ts, INTERVAL 10 MINUTES) GROUP BY window_start
EMIT ON WINDOW CLOSE THEN REVISE;
