-- Rows that have found no partner are those of a LEFT JOIN without one.
CREATE SOURCE bids (item INT, at TIMESTAMP, price INT, WATERMARK FOR at AS at) USING parquet OPTIONS (path 'bids');
CREATE SOURCE sales (item INT, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 SECOND) USING parquet OPTIONS (path 'sales');
SELECT item, s.ts FROM sales AS s LEFT ANTI JOIN bids AS b
  ON s.item = b.item AND b.at >= s.ts AND b.at < s.ts + INTERVAL 1 MINUTE
EMIT ON WINDOW CLOSE;
