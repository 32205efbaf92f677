-- A watermark over rows that wait for one.
CREATE SOURCE orders (
  id BIGINT, name STRING, ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');

SELECT id FROM WATERMARK((SELECT * FROM orders WHERE ts <= WATERMARK_TS()), ts, ts);
