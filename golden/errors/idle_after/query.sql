-- IDLE AFTER is not supported yet.
CREATE SOURCE orders (
  id BIGINT, ts TIMESTAMP,
  WATERMARK FOR ts AS ts IDLE AFTER INTERVAL 30 SECONDS
) USING parquet OPTIONS (path 'orders');
SELECT id FROM orders;
