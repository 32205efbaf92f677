-- A view that selects and filters has late rows, too: those of its source.
CREATE SOURCE orders (
  id BIGINT, name STRING, ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE VIEW named (n, at) AS SELECT upper(name), ts FROM orders WHERE name IS NOT NULL;

SELECT l.* FROM LATE(named) AS l;
