-- Each row leaves five seconds after its event time.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id FROM orders WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS();
