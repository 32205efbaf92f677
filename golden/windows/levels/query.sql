-- Each level closes with the last of what it holds: ten minutes, and a day of those, at their own end.
CREATE SOURCE orders (ts TIMESTAMP, price INT, WATERMARK FOR ts AS ts - INTERVAL 1 SECOND) USING parquet OPTIONS (path 'orders');
CREATE VIEW minutes AS SELECT window_end - INTERVAL 10 MINUTES AS at, sum(price) AS price
  FROM TUMBLE(orders, ts, INTERVAL 10 MINUTES) GROUP BY window_start, window_end EMIT ON WINDOW CLOSE;
CREATE VIEW hours AS SELECT date_trunc('HOUR', at) AS hour, sum(price) AS price
  FROM minutes GROUP BY date_trunc('HOUR', at) EMIT ON WINDOW CLOSE;
SELECT CAST(hour AS DATE) AS day, max(price) AS most FROM hours GROUP BY CAST(hour AS DATE) EMIT ON WINDOW CLOSE;
