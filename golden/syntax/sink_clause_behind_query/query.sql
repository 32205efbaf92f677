-- the format of a sink stands before its query
CREATE SINK report AS SELECT id FROM orders USING parquet OPTIONS (path 'out');
