-- TUMBLE behind its relation, as if it were a clause
SELECT window_start, count(*) AS n FROM orders TUMBLE(ts, INTERVAL 10 SECONDS)
GROUP BY window_start EMIT ON WINDOW CLOSE;
