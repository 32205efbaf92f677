-- The rows of a table have no place in a union with a stream.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE TABLE items (id BIGINT, sku STRING, weight DOUBLE) USING parquet OPTIONS (path 'items');
SELECT id FROM orders
UNION ALL
SELECT id FROM items EMIT ON WINDOW CLOSE;
