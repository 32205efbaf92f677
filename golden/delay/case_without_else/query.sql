-- A CASE without ELSE is NULL for the other rows, which never leave.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id
FROM orders
WHERE CASE name WHEN 'fast' THEN ts <= WATERMARK_TS()
                WHEN 'slow' THEN ts + INTERVAL 1 DAY <= WATERMARK_TS() END;
