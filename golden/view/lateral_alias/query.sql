-- Later columns name earlier ones; the alias of a column does not hide it in WHERE.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT price * 2 AS twice, twice + 1 AS more, ts + INTERVAL 1 HOUR AS ts
FROM orders
WHERE ts <= WATERMARK_TS();
