-- Rows of overlapping windows do not come in order of their time.
CREATE SOURCE orders (id INT, ts TIMESTAMP, amount INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
SELECT id, lag(id) OVER (ORDER BY ts) AS before, ntile(2) OVER (PARTITION BY window_end ORDER BY id) AS half
FROM HOP(orders, ts, INTERVAL 1 MINUTE, INTERVAL 5 MINUTES) EMIT ON WINDOW CLOSE;
