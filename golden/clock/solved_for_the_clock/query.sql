-- Arithmetic on the clock moves to the other side.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id
FROM orders
WHERE WATERMARK_TS() - INTERVAL 1 HOUR >= ts
  AND WATERMARK_TS() - ts > INTERVAL 2 HOURS
  AND INTERVAL 1 MONTH + ts <= WATERMARK_TS();
