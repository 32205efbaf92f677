-- A window function in descending order of time: the latest row is never known.
CREATE SOURCE orders (id INT, ts TIMESTAMP, amount INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
SELECT id, lag(id) OVER (PARTITION BY id ORDER BY ts DESC) AS next FROM orders EMIT ON WINDOW CLOSE;
