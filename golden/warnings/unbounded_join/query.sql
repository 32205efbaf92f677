-- A join of two streams keeps every row.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT a.id FROM orders AS a JOIN orders AS b ON a.id = b.id AND a.name = b.name WHERE a.ts <= WATERMARK_TS();
