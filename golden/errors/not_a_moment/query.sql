-- The clock is compared with an interval; the watermark is for a STRING.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE SOURCE texts (at STRING, WATERMARK FOR at AS at) USING json OPTIONS (path 'texts');
SELECT id FROM orders WHERE INTERVAL 3 SECONDS <= WATERMARK_TS();
