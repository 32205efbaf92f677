-- An aggregate over a table, joined to a stream.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE TABLE items (id BIGINT, sku STRING, weight DOUBLE) USING parquet OPTIONS (path 'items');
SELECT o.id, t.total
FROM orders o JOIN (SELECT id, sum(weight) AS total FROM items GROUP BY id) t ON o.id = t.id
WHERE o.ts <= WATERMARK_TS();
