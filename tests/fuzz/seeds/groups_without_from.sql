-- Groups of groups of joined rows: Spark's watermark lags by the range of the join.
CREATE SOURCE bids (item INT, at TIMESTAMP, price INT, WATERMARK FOR at AS at) USING parquet OPTIONS (path 'bids');
CREATE SOURCE sales (item INT, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 SECOND) USING parquet OPTIONS (path 'sales');
SELECT window_end, max(n) AS most FROM (
  SELECT item((
    SELECT s.item, s.ts FROM sales AS s JOIN bids AS b
      ON s.item = b.item AND b.at BETWEEN s.ts AND s.ts + INTERVAL 10 SECONDS
  ), ts, INTERVAL 1 HOUR)
  GROUP BY item, window_start, window_end
) GROUP BY window_end
EMIT ON WINDOW CLOSE;
