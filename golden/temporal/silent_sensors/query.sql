-- Sensors that are silent now: of rows that never go, a group keeps its latest value alone.
CREATE SOURCE readings (sensor STRING, ts TIMESTAMP) USING parquet OPTIONS (path 'readings');
SELECT sensor, max(ts) AS seen FROM readings GROUP BY sensor HAVING max(ts) + INTERVAL 5 MINUTES <= mz_now();
