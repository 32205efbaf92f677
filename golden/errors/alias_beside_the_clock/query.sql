-- A name from the same SELECT list where that reads the clock.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT price * 2 AS twice, twice + 1 AS more, WATERMARK_TS() AS w FROM orders;
