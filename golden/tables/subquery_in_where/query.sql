-- Subqueries over tables: IN, EXISTS and a scalar one.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE TABLE items (id BIGINT, sku STRING, weight DOUBLE) USING parquet OPTIONS (path 'items');
SELECT id
FROM orders
WHERE ts <= WATERMARK_TS()
  AND id IN (SELECT id FROM items WHERE weight > 1)
  AND EXISTS (SELECT 1 FROM items i WHERE i.sku = orders.name)
  AND price > (SELECT avg(weight) FROM items);
