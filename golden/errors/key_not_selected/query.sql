-- The key of a sink must be among the columns, each of which has a name of its own.
CREATE SOURCE orders (
  id BIGINT, name STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE SINK live USING sqlite OPTIONS (path 'live.db', key 'nam, day') AS
SELECT name, id, id + 1 AS ID FROM orders;
