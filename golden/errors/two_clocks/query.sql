-- a query has one clock, the least watermark of its sources
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
CREATE SOURCE bills (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'bills');
SELECT id FROM orders AS o WHERE ts <= WATERMARK_TS(o)
UNION ALL
SELECT id FROM bills;
