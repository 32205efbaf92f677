-- A view over tables is a query of Spark; subqueries see it by its name.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE TABLE items (id BIGINT, sku STRING, weight DOUBLE) USING parquet OPTIONS (path 'items');
CREATE VIEW `heavy items` (item) AS SELECT id FROM items GROUP BY id HAVING sum(weight) > 10;

SELECT id FROM orders WHERE ts <= WATERMARK_TS() AND id IN (SELECT item FROM `heavy items`);
