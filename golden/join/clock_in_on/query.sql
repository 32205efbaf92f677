-- The clock in ON of an inner join is a condition like any other.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE TABLE items (id BIGINT, sku STRING, weight DOUBLE) USING parquet OPTIONS (path 'items');
SELECT o.id, i.sku
FROM orders AS o JOIN items AS i ON o.id = i.id AND o.ts <= WATERMARK_TS();
