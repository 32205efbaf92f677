-- A query over tables only.
CREATE TABLE items (id BIGINT, sku STRING, weight DOUBLE) USING parquet OPTIONS (path 'items');
SELECT sku FROM items;
