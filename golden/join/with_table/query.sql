-- A stream and a table; the clock in WHERE.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE TABLE items (id BIGINT, sku STRING, weight DOUBLE) USING parquet OPTIONS (path 'items');
SELECT o.id, i.sku
FROM orders AS o JOIN items AS i ON o.id = i.id
WHERE o.ts + INTERVAL 1 MINUTE <= WATERMARK_TS() AND i.weight < 3.5;
