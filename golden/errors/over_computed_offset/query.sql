-- How many rows LAG goes back must be written out.
CREATE SOURCE orders (id INT, ts TIMESTAMP, amount INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
SELECT id, lag(id, amount) OVER (ORDER BY ts) AS before FROM orders EMIT ON WINDOW CLOSE;
