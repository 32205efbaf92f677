-- An upper bound: rows would have to leave the result again.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id
FROM orders
WHERE ts <= WATERMARK_TS() AND WATERMARK_TS() < ts + INTERVAL 1 DAY;
