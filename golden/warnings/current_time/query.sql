-- The current time is read once, when a row arrives.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id FROM orders WHERE ts <= WATERMARK_TS() AND ts > now() - INTERVAL 1 DAY;
