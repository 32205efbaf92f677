-- Windows of joined rows close later, by as much as a partner may be later.
CREATE SOURCE bids (item INT, at TIMESTAMP, price INT, WATERMARK FOR at AS at) USING parquet OPTIONS (path 'bids');
CREATE SOURCE sales (item INT, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 SECOND) USING parquet OPTIONS (path 'sales');
SELECT window_end, max(price) AS top
FROM TUMBLE((
  SELECT s.ts, b.price FROM sales AS s JOIN bids AS b
    ON s.item = b.item AND b.at BETWEEN s.ts - INTERVAL 5 SECONDS AND s.ts + INTERVAL 10 SECONDS
), ts, INTERVAL 1 HOUR)
GROUP BY window_end
EMIT ON WINDOW CLOSE;
