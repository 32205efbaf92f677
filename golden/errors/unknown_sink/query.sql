-- INSERT INTO a sink that nobody has declared.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE SINK results USING parquet OPTIONS (path 'out');
INSERT INTO result SELECT id FROM orders;
INSERT INTO results SELECT id FROM orders;
