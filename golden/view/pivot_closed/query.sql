-- PIVOT of windows: groups that are final.
CREATE SOURCE orders (shop STRING, amount INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
SELECT *
FROM (SELECT window_end, shop, amount FROM TUMBLE(orders, ts, INTERVAL 1 MINUTE))
PIVOT (sum(amount) FOR shop IN ('north', 'south'))
EMIT ON WINDOW CLOSE;
