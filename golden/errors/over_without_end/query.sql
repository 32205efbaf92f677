-- A frame that never ends, of NTILE and of UNBOUNDED FOLLOWING.
CREATE SOURCE orders (id INT, ts TIMESTAMP, amount INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
SELECT id, ntile(4) OVER (ORDER BY ts) AS quarter,
  sum(amount) OVER (ORDER BY ts ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS rest
FROM orders EMIT ON WINDOW CLOSE;
