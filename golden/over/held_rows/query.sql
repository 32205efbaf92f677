-- A window function above a condition on the clock.
CREATE SOURCE orders (id INT, ts TIMESTAMP, amount INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
SELECT id, lag(id) OVER (ORDER BY ts) AS before FROM orders
WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS() EMIT ON WINDOW CLOSE;
