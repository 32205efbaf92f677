-- Window functions over joined rows, which wait until they come in order of time.
CREATE SOURCE bids (item INT, at TIMESTAMP, price INT, WATERMARK FOR at AS at) USING parquet OPTIONS (path 'bids');
CREATE SOURCE sales (item INT, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 SECOND) USING parquet OPTIONS (path 'sales');
SELECT s.item, s.ts, b.price - lag(b.price) OVER (PARTITION BY s.item ORDER BY s.ts, b.price) AS change
FROM sales AS s JOIN bids AS b
  ON s.item = b.item AND b.at BETWEEN s.ts AND s.ts + INTERVAL 10 SECONDS
EMIT ON WINDOW CLOSE;
