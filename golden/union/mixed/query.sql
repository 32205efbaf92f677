-- Sides that wait and sides that do not.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id FROM orders WHERE ts <= WATERMARK_TS()
UNION ALL
SELECT -id FROM orders
UNION ALL
SELECT id * 10 FROM orders WHERE name = 'x';
