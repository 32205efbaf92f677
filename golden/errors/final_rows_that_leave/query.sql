-- Final rows of a result whose rows may leave before their window closes.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT window_start, count(*)
FROM TUMBLE((SELECT * FROM orders WHERE WATERMARK_TS() < ts + INTERVAL 5 MINUTES), ts, INTERVAL 1 HOUR)
GROUP BY window_start
EMIT ON WINDOW CLOSE;
