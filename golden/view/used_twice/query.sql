-- A view read twice is one step of the job.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE VIEW paid AS SELECT id, ts FROM orders WHERE price > 0;

SELECT id, 'soon' AS list FROM paid WHERE ts <= WATERMARK_TS()
UNION ALL
SELECT id, 'later' FROM paid WHERE ts + INTERVAL 1 DAY <= WATERMARK_TS();
