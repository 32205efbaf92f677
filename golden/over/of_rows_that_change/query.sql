-- Window functions over rows that come and go: a running total, shares of a whole, the row before.
CREATE SOURCE sales (id BIGINT, shop STRING, amount INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'sales');
SELECT id, shop,
  sum(amount) OVER (PARTITION BY shop ORDER BY ts) AS running,
  amount / sum(amount) OVER (PARTITION BY shop) AS share,
  lag(amount, 1, 0) OVER (PARTITION BY shop ORDER BY ts) AS before
FROM sales
WHERE mz_now() <= ts + INTERVAL 1 DAY;
