-- A condition on the clock over a union.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id
FROM (SELECT id, ts FROM orders UNION ALL SELECT -id, ts + INTERVAL 1 HOUR FROM orders) AS both_signs
WHERE ts <= WATERMARK_TS();
