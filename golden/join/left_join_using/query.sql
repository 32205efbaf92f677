-- LEFT JOIN with a table by USING; the star has the common column once.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE TABLE items (id BIGINT, sku STRING, weight DOUBLE) USING parquet OPTIONS (path 'items');
SELECT * EXCEPT (price)
FROM orders LEFT JOIN items USING (id)
WHERE ts <= WATERMARK_TS();
