-- Two sinks and the console, each with a checkpoint of its own.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE SINK cheap USING parquet OPTIONS (path 'out/cheap') AS
SELECT id FROM orders WHERE price < 10 AND ts <= WATERMARK_TS();
CREATE SINK dear USING json OPTIONS (path '/data/dear', compression 'gzip');
INSERT INTO dear SELECT id FROM orders WHERE price >= 10;
SELECT id, WATERMARK_TS() AS at FROM orders;
