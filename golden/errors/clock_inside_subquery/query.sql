-- The clock has no value before a row is emitted.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT day FROM (SELECT date(WATERMARK_TS()) AS day FROM orders) AS days;
