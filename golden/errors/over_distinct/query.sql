-- DISTINCT inside a window function, which Spark does not have.
CREATE SOURCE orders (id INT, ts TIMESTAMP, amount INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
SELECT count(DISTINCT id) OVER (ORDER BY ts ROWS 5 PRECEDING) AS n FROM orders EMIT ON WINDOW CLOSE;
