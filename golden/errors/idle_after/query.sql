-- IDLE AFTER takes a fixed time: months are longer or shorter.
CREATE SOURCE orders (
  id BIGINT, ts TIMESTAMP,
  WATERMARK FOR ts AS ts IDLE AFTER INTERVAL 1 MONTH
) USING parquet OPTIONS (path 'orders');
SELECT id FROM orders;
