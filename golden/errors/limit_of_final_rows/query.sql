-- LIMIT is of a whole result, of which final rows leave window by window.
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
SELECT id, window_end FROM TUMBLE(orders, ts, INTERVAL 1 MINUTE) ORDER BY window_end, id LIMIT 3 EMIT ON WINDOW CLOSE;
