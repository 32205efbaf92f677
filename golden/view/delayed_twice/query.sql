-- A condition in a view and one above it: one delay, due at the later.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE VIEW settled AS
SELECT id, name, ts FROM orders WHERE ts + INTERVAL 1 MINUTE <= WATERMARK_TS();

SELECT id FROM settled WHERE date_trunc('HOUR', ts) <= WATERMARK_TS();
