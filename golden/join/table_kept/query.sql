-- A table on the side that an outer join with a stream keeps, and one in a set operation with it.
CREATE TABLE items (id BIGINT, sku STRING, weight DOUBLE) USING parquet OPTIONS (path 'items');
CREATE SOURCE orders (
  id BIGINT, price DECIMAL(10, 2), ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE SINK sold USING json OPTIONS (path 'sold') AS
SELECT i.sku, count(o.id) AS n FROM orders AS o RIGHT JOIN items AS i ON o.id = i.id GROUP BY i.sku;
SELECT id FROM items WHERE weight < 3 EXCEPT SELECT id FROM orders;
