-- Two queries write to one sink.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE SINK result USING parquet OPTIONS (path 'out');
INSERT INTO result SELECT id FROM orders;
INSERT INTO result SELECT -id FROM orders;
