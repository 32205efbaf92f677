-- A folder, or a table of a database, belongs to one sink.
CREATE SOURCE orders (
  id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE SINK all_rows USING parquet OPTIONS (path 'out') AS SELECT id FROM orders;
CREATE SINK refused USING parquet OPTIONS (path 'out/') AS SELECT id FROM LATE(orders);
CREATE SINK live USING sqlite OPTIONS (path 'live.db', key 'id') AS SELECT id FROM orders;
CREATE SINK odd USING sqlite OPTIONS (path 'live.db', table 'odd', key 'id') AS SELECT id FROM orders;
CREATE SINK twice USING sqlite OPTIONS (path 'live.db', table 'Live', key 'id') AS SELECT id FROM orders;
