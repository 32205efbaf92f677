-- Kafka by key without a key, and a key of records that is no column
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
CREATE SINK live USING kafka OPTIONS (topic 'out', mode 'upsert') AS SELECT id FROM orders;
CREATE SINK rows USING kafka OPTIONS (topic 'rows', mode 'append', key 'id, day') AS SELECT id FROM orders;
