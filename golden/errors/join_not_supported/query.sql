-- An outer join that would keep rows of a table.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE TABLE items (id BIGINT, sku STRING, weight DOUBLE) USING parquet OPTIONS (path 'items');
SELECT i.sku FROM orders AS o RIGHT JOIN items AS i ON o.id = i.id EMIT ON WINDOW CLOSE;
