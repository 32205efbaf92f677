-- Keys and modes that do not go together.
CREATE SOURCE orders (
  id BIGINT, name STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE SINK no_key USING sqlite OPTIONS (path 'live.db') AS SELECT id FROM orders;
CREATE SINK files USING parquet OPTIONS (path 'files', key 'id') AS SELECT id FROM orders;
CREATE SINK odd USING json OPTIONS (path 'odd', mode 'apend') AS SELECT id FROM orders;
CREATE SINK added USING sqlite OPTIONS (path 'live.db', key 'id', mode 'append') AS SELECT id FROM orders;
