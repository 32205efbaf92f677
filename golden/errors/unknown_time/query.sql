-- The time column of a window is not known: that alone is reported.
CREATE SOURCE trips (ts TIMESTAMP, arrival TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'trips');
SELECT window_start, count(*) AS n FROM TUMBLE(trips, tss, INTERVAL 1 HOUR) GROUP BY window_start EMIT ON WINDOW CLOSE;
