-- files of a source and of a sink lie somewhere
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP) USING parquet;
CREATE SINK copies USING json AS SELECT id FROM orders;
