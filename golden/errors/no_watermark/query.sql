-- The clock of a source that has none.
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP) USING parquet OPTIONS (path 'orders');
SELECT id FROM orders WHERE ts <= WATERMARK_TS();
