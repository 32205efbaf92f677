-- FILL of windows that grow: a row for each key and step.
CREATE SOURCE readings (sensor STRING, value DOUBLE, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'readings');
SELECT sensor, window_start, window_end, sum(value) AS total
FROM CUMULATE(readings, ts, INTERVAL 1 MINUTE, INTERVAL 1 HOUR) FILL (0) FOR INTERVAL 2 HOURS
GROUP BY sensor, window_start, window_end
EMIT ON WINDOW CLOSE;
