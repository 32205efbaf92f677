-- The clock in the SELECT list of a join, computed with columns of both sides.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE TABLE items (id BIGINT, sku STRING, weight DOUBLE) USING parquet OPTIONS (path 'items');
SELECT o.id, sku AS id_2, WATERMARK_TS() - o.ts AS waited, concat(i.sku, ' at ', WATERMARK_TS()) AS label,
       PROC_TIME() AS arrived
FROM orders AS o LEFT JOIN items AS i ON o.id = i.id
WHERE o.ts <= WATERMARK_TS() AND (i.weight > 3 OR i.id IS NULL);
