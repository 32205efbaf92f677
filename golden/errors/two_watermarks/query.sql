-- Two watermarks on one source.
CREATE SOURCE orders (
  id BIGINT, a TIMESTAMP, b TIMESTAMP,
  WATERMARK FOR a AS a,
  WATERMARK FOR b AS b
) USING parquet OPTIONS (path 'orders');
SELECT id FROM orders;
