-- A source without a watermark refuses nothing and, beside one that has a watermark, moves no clock.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE SOURCE notes (id BIGINT, at TIMESTAMP) USING json OPTIONS (path 'notes');

SELECT id FROM orders WHERE ts <= WATERMARK_TS()
UNION ALL
SELECT id FROM notes;
