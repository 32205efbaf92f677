-- A window name that the WINDOW clause does not define.
CREATE SOURCE orders (id INT, ts TIMESTAMP, amount INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
SELECT id, lag(id) OVER later AS before FROM orders
WINDOW late AS (ORDER BY ts) EMIT ON WINDOW CLOSE;
