-- A table has no watermark.
CREATE TABLE days (day DATE) USING parquet OPTIONS (path 'days');
CREATE SOURCE orders (
  id BIGINT, name STRING, ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');

SELECT id FROM orders JOIN WATERMARK(days, day, day) d ON d.day = date(ts);
