-- No condition on the clock: nothing is held, late rows are refused.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id, price * 2 AS twice FROM orders WHERE price > 0;
