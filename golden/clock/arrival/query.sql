-- PROC_TIME() is the time at which the row arrived.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id, PROC_TIME() AS arrived FROM orders WHERE ts <= WATERMARK_TS();
