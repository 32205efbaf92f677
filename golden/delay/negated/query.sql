-- NOT is pushed to the comparisons: what is not late enough is a lower bound.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id FROM orders WHERE NOT (name = 'x' OR ts > WATERMARK_TS());
