-- A column of a subquery that is the clock compares like the clock.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
WITH stamped AS (SELECT id, ts, WATERMARK_TS() AS w FROM orders)
SELECT id, w FROM stamped WHERE ts <= w;
