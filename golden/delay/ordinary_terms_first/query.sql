-- Ordinary terms of the conjunction stand below the delay; columns that are not needed are not held.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id
FROM orders
WHERE price > 10 AND ts <= WATERMARK_TS() AND name LIKE 'a%' AND length(name) < 10;
