-- A view does not hand on when its rows arrived.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE VIEW v AS SELECT id, ts FROM orders;
SELECT id, PROC_TIME() AS arrived FROM v;
