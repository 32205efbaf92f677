-- UNPIVOT: a row for each of some columns.
CREATE SOURCE readings (id BIGINT, warm DOUBLE, wet DOUBLE, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'readings');
SELECT id, name, value
FROM readings UNPIVOT (value FOR name IN (warm AS temperature, wet)) AS u
WHERE u.ts + INTERVAL 5 SECONDS <= WATERMARK_TS();
