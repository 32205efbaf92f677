-- Constants are numbers of any size, also where INT would overflow; beside an INT column they are BIGINT.
CREATE SOURCE orders (id INT, t BIGINT, days INT, WATERMARK FOR t AS t - 30 * 24 * 3600 * 1000)
USING parquet OPTIONS (path 'orders');

SELECT id FROM orders
WHERE CASE WHEN id < 1000000 * 1000000 THEN t + 100Y * 100Y ELSE t - 30 * 24 * 3600 * 1000 END <= WATERMARK_TS()
  AND WATERMARK_TS() > t + days * 86400000;
