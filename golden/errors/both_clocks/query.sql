-- A view on the wall clock, read by a query on the watermark.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE VIEW open_orders AS SELECT id, ts FROM orders WHERE mz_now() < ts + INTERVAL 5 MINUTES;
SELECT id FROM open_orders WHERE ts <= WATERMARK_TS();
