-- A watermark strategy that reads the clock which it moves.
CREATE SOURCE orders (
  id BIGINT, ts TIMESTAMP,
  WATERMARK FOR ts AS greatest(ts, WATERMARK_TS())
) USING parquet OPTIONS (path 'orders');
SELECT id FROM orders;
