-- A CTE named as the source that it reads.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
WITH orders AS (SELECT id, ts FROM orders WHERE price > 0)
SELECT id FROM orders WHERE ts <= WATERMARK_TS();
