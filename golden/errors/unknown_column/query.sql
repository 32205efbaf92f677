-- Unknown columns with and without a qualifier, and a near name for each.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT o.idd, nam
FROM orders AS o
WHERE prices > 3 AND ts <= WATERMARK_TS();
