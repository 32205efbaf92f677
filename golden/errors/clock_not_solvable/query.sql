-- Functions of the clock that cannot be solved for it.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id FROM orders WHERE hour(WATERMARK_TS()) = 12 OR date(WATERMARK_TS()) = date(ts);
