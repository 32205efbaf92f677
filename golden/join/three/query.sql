-- A stream, a table and another table.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE TABLE items (id BIGINT, sku STRING, weight DOUBLE) USING parquet OPTIONS (path 'items');
CREATE TABLE shops (name STRING, city STRING) USING csv OPTIONS (path 'shops', header true);

SELECT o.id, i.sku, s.city
FROM orders o
JOIN items i ON o.id = i.id
LEFT JOIN shops s ON s.name = o.name
WHERE o.ts <= WATERMARK_TS();
