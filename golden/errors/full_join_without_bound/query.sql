-- A FULL JOIN of streams whose rows on one side may find a partner for ever.
CREATE SOURCE bids (item INT, at TIMESTAMP, price INT, WATERMARK FOR at AS at) USING parquet OPTIONS (path 'bids');
CREATE SOURCE sales (item INT, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 SECOND) USING parquet OPTIONS (path 'sales');
SELECT s.item, b.price FROM sales AS s FULL JOIN bids AS b
  ON s.item = b.item AND b.at <= s.ts + INTERVAL 1 MINUTE
EMIT ON WINDOW CLOSE;
