-- What is filled in stands in parentheses.
SELECT window_start, count(*) AS n FROM TUMBLE(trips, ts, INTERVAL 1 MINUTE) FILL 0 GROUP BY window_start EMIT ON WINDOW CLOSE;
