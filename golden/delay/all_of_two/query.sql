-- Two conditions: due at the later of both.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id, price
FROM orders
WHERE ts + INTERVAL 5 MINUTES <= WATERMARK_TS()
  AND date_trunc('HOUR', ts) + INTERVAL 1 HOUR <= WATERMARK_TS();
