-- Sides of a join that have no names of their own.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT *
FROM (SELECT id, name FROM orders WHERE ts <= WATERMARK_TS())
JOIN (SELECT id, price FROM orders WHERE ts + INTERVAL 1 HOUR <= WATERMARK_TS()) USING (id);
