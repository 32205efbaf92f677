-- A condition that no row satisfies.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id FROM orders WHERE (NULL AND ts <= WATERMARK_TS()) OR (FALSE AND ts <= WATERMARK_TS());
