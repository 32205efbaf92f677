-- IS NOT NULL of a comparison with the clock does not depend on the clock.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id FROM orders WHERE (ts <= WATERMARK_TS()) IS NOT NULL;
