-- A function that is nearly one of the clock's.
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
SELECT id FROM orders WHERE ts <= WATERMARK_T();
