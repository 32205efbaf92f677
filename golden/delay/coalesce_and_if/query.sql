-- COALESCE and IF over conditions on the clock.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id
FROM orders
WHERE IF(price > 100, ts + INTERVAL 1 HOUR <= WATERMARK_TS(), ts <= WATERMARK_TS())
   OR COALESCE(name = 'vip', ts <= WATERMARK_TS());
