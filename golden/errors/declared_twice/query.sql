-- Two columns, and two relations, of one name.
CREATE SOURCE orders (
  id BIGINT, name STRING, Name INT, ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE VIEW ORDERS AS SELECT id FROM orders;
SELECT id FROM orders;
