-- A window function beside GROUP BY is over the groups.
CREATE SOURCE orders (id INT, ts TIMESTAMP, amount INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
SELECT window_end, rank() OVER (PARTITION BY window_end ORDER BY count(*) DESC) AS place
FROM TUMBLE(orders, ts, INTERVAL 1 MINUTE) GROUP BY id, window_end EMIT ON WINDOW CLOSE;
