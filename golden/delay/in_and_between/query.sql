-- BETWEEN and IN over the clock and over ordinary columns.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id
FROM orders
WHERE TRUE IN (ts <= WATERMARK_TS(), price > 100)
  AND NOT ts BETWEEN WATERMARK_TS() AND TIMESTAMP '2030-01-01';
