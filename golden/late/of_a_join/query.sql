-- Rows are refused before a join; joined rows are never late.
CREATE SOURCE orders (
  id BIGINT, name STRING, ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE TABLE items (id BIGINT, sku STRING) USING parquet OPTIONS (path 'items');
CREATE VIEW priced AS SELECT o.id, o.ts FROM orders o JOIN items i ON o.id = i.id;

SELECT id FROM LATE(priced);
