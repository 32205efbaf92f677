-- A number has no unit of time.
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
SELECT id FROM orders WHERE ts + 5 <= WATERMARK_TS();
