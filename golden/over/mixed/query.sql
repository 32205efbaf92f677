-- Functions over whole windows first, then those over rows in order of time.
CREATE SOURCE orders (id INT, ts TIMESTAMP, amount INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
SELECT id, lag(id) OVER (ORDER BY ts) AS before, ntile(2) OVER (PARTITION BY window_end ORDER BY id) AS half
FROM TUMBLE(orders, ts, INTERVAL 1 MINUTE) EMIT ON WINDOW CLOSE;
