-- The struct of window() is a time: it closes with its end, and its fields are times, too.
CREATE SOURCE orders (ts TIMESTAMP, price INT, WATERMARK FOR ts AS ts - INTERVAL 1 SECOND) USING parquet OPTIONS (path 'orders');
CREATE VIEW minutes AS SELECT w, sum(price) AS price
  FROM (SELECT window(ts, '1 minute') AS w, price FROM orders) GROUP BY w EMIT ON WINDOW CLOSE;
SELECT window(w, '0 hour').start AS hour, max(price) AS most, min(window_time(w)) AS first
FROM minutes GROUP BY window(w, '1 hour') EMIT ON WINDOW CLOSE;
