-- A window function in the order of a column without a watermark.
CREATE SOURCE orders (id INT, ts TIMESTAMP, amount INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
SELECT id, row_number() OVER (ORDER BY amount) AS place FROM orders EMIT ON WINDOW CLOSE;
