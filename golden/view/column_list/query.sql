-- A view that gives its columns names of its own.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE TEMPORARY VIEW v (number, moment) AS SELECT id, ts FROM orders;

SELECT number FROM v WHERE moment <= WATERMARK_TS();
