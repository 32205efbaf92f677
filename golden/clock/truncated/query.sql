-- date_trunc and a cast to DATE of the clock ask for the first value that truncates so.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id
FROM orders
WHERE date_trunc('HOUR', WATERMARK_TS()) > ts
  AND CAST(WATERMARK_TS() AS DATE) >= DATE '2024-06-01';
