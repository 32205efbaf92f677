-- WATERMARK over a source stands for a declared one, and replaces it.
CREATE SOURCE orders (
  id BIGINT, name STRING, ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');

SELECT id FROM WATERMARK(orders, ts, CASE WHEN name = 'mark' THEN ts END) AS o
WHERE o.ts + INTERVAL 5 SECONDS <= WATERMARK_TS();
