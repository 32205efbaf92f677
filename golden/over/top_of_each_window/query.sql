-- The best of each window in any order: closed groups come all at once, and Spark ranks them.
CREATE SOURCE bids (item INT, ts TIMESTAMP, price INT, WATERMARK FOR ts AS ts - INTERVAL 5 SECONDS)
USING parquet OPTIONS (path 'bids');
WITH counts AS (
  SELECT item, window_start, window_end, count(*) AS n
  FROM HOP(bids, ts, INTERVAL 1 MINUTE, INTERVAL 5 MINUTES)
  GROUP BY item, window_start, window_end
)
SELECT * FROM (
  SELECT item, window_end, n,
    rank() OVER (PARTITION BY window_start, window_end ORDER BY n DESC) AS place
  FROM counts
)
WHERE place <= 3 EMIT ON WINDOW CLOSE;
