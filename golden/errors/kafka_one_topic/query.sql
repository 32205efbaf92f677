-- Two sinks in one topic, where each key is to have one row
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
CREATE SINK live USING kafka OPTIONS (topic 'orders', key 'id') AS SELECT id FROM orders;
CREATE SINK rows USING kafka OPTIONS (topic 'orders') AS SELECT id FROM orders;
CREATE SINK one USING kafka OPTIONS (topic 'rows') AS SELECT id FROM orders;
CREATE SINK other USING kafka OPTIONS (topic 'rows') AS SELECT -id AS id FROM orders;
