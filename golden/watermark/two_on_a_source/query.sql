-- Two watermarks on one source in one query.
CREATE SOURCE orders (
  id BIGINT, name STRING, ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');

SELECT id FROM orders
UNION ALL
SELECT id FROM WATERMARK(orders, ts, ts - INTERVAL 1 HOUR);
