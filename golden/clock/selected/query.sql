-- WATERMARK_TS() in the SELECT list is its value when the row is emitted.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id, WATERMARK_TS() AS emitted_at, WATERMARK_TS() - ts AS waited, concat('id ', id) AS label
FROM orders
WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS();
