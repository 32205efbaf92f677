-- The clock in a side of a union.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id, WATERMARK_TS() AS w FROM orders UNION ALL SELECT id, ts FROM orders;
