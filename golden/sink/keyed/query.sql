-- The last known state by key, beside late rows in files: one streaming query.
CREATE SOURCE orders (
  id BIGINT, name STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE SINK live USING sqlite OPTIONS (path 'live.db', table 'orders', key 'id') AS
SELECT id, name, ts FROM orders WHERE ts <= WATERMARK_TS();
CREATE SINK late WITH ('connector' = 'json', 'path' = 'late') AS SELECT * FROM LATE(orders);
