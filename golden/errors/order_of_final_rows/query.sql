-- Final rows leave in order of a time, ascending.
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
CREATE SINK backwards USING json OPTIONS (path 'backwards') AS
SELECT id, ts FROM orders ORDER BY ts DESC EMIT ON WINDOW CLOSE;
CREATE SINK uncounted USING json OPTIONS (path 'uncounted') AS
SELECT id, window_end, count(*) AS n FROM TUMBLE(orders, ts, INTERVAL 1 MINUTE) GROUP BY id, window_end
ORDER BY n DESC EMIT ON WINDOW CLOSE;
SELECT id FROM orders ORDER BY id EMIT ON WINDOW CLOSE;
