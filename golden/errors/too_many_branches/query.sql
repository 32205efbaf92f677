-- A conjunction of alternatives that expands to 128 branches.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT id
FROM orders
WHERE (id = 0 OR ts + INTERVAL 0 SECONDS <= WATERMARK_TS())
  AND (id = 1 OR ts + INTERVAL 1 SECONDS <= WATERMARK_TS())
  AND (id = 2 OR ts + INTERVAL 2 SECONDS <= WATERMARK_TS())
  AND (id = 3 OR ts + INTERVAL 3 SECONDS <= WATERMARK_TS())
  AND (id = 4 OR ts + INTERVAL 4 SECONDS <= WATERMARK_TS())
  AND (id = 5 OR ts + INTERVAL 5 SECONDS <= WATERMARK_TS())
  AND (id = 6 OR ts + INTERVAL 6 SECONDS <= WATERMARK_TS());
