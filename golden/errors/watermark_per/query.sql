-- PER names a column of the source by whose values rows can be grouped
CREATE SOURCE orders (id BIGINT, device STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts PER divice)
USING parquet OPTIONS (path 'orders');
CREATE SOURCE more (id BIGINT, tags ARRAY<STRING>, ts TIMESTAMP, WATERMARK FOR ts AS ts PER tags)
USING parquet OPTIONS (path 'more');
SELECT id FROM orders;
