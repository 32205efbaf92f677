-- Final rows in order of a time and of further columns, one of which is not selected.
CREATE SOURCE orders (id BIGINT, price DECIMAL(10, 2), ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
CREATE SINK by_time USING json OPTIONS (path 'by_time') AS
SELECT id, price FROM orders ORDER BY ts, price DESC EMIT ON WINDOW CLOSE;
SELECT window_end, id, sum(price) AS total
FROM TUMBLE(orders, ts, INTERVAL 1 MINUTE)
GROUP BY window_end, id
ORDER BY window_end, total DESC NULLS LAST, id
EMIT ON WINDOW CLOSE;
