-- Subqueries in alternatives, and one as a bound.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE TABLE items (id BIGINT, sku STRING, weight DOUBLE) USING parquet OPTIONS (path 'items');
SELECT id
FROM orders
WHERE (id IN (SELECT id FROM items) AND ts <= WATERMARK_TS())
   OR (EXISTS (SELECT 1 FROM items WHERE sku = orders.name) AND ts + INTERVAL 1 HOUR <= WATERMARK_TS())
   OR (SELECT max(timestamp_seconds(weight)) FROM items) < WATERMARK_TS();
