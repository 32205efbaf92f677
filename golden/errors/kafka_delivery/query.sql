-- What Kafka does not do: records at most once
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
CREATE SINK out USING kafka OPTIONS (topic 'out', delivery 'at-most-once') AS SELECT id FROM orders;
