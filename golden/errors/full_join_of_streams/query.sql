-- A FULL JOIN of streams is a LEFT JOIN and an ANTI JOIN.
CREATE SOURCE bids (item INT, at TIMESTAMP, price INT, WATERMARK FOR at AS at) USING parquet OPTIONS (path 'bids');
CREATE SOURCE sales (item INT, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 SECOND) USING parquet OPTIONS (path 'sales');
SELECT s.item, b.price FROM sales AS s FULL JOIN bids AS b
  ON s.item = b.item AND b.at BETWEEN s.ts AND s.ts + INTERVAL 1 MINUTE
EMIT ON WINDOW CLOSE;
