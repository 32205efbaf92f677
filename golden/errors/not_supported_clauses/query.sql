-- Clauses and functions over a stream that are not supported yet.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT DISTINCT name, count(*)
FROM orders
GROUP BY name
ORDER BY name
LIMIT 10;
