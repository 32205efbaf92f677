-- A sink named as the source that it is fed from.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE SINK orders USING parquet OPTIONS (path 'out');
INSERT INTO orders SELECT id FROM orders WHERE ts <= WATERMARK_TS();
