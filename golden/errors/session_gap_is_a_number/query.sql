-- The gap of a row is a length of time, not a number of something.
CREATE SOURCE clicks (ts TIMESTAMP, customer INT, patience INT, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'clicks');
SELECT customer, window_end, count(*) AS n FROM SESSION(clicks, ts, customer, patience)
GROUP BY customer, window_end EMIT ON WINDOW CLOSE;
SELECT customer, count(*) AS n FROM clicks GROUP BY customer, session_window(ts, patience * 2) EMIT ON WINDOW CLOSE;
