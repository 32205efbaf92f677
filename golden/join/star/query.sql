-- A star over a join has the columns of both sides, also those of one name.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE TABLE items (id BIGINT, sku STRING, weight DOUBLE) USING parquet OPTIONS (path 'items');
SELECT *
FROM orders AS o JOIN items AS i ON o.id = i.id
WHERE o.ts + o.price * INTERVAL 1 SECOND <= WATERMARK_TS();
