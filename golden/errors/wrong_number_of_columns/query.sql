-- Sides of a union, and the names of a view.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE VIEW v (a, b) AS SELECT id FROM orders;
SELECT id, name FROM orders UNION ALL SELECT id FROM orders;
