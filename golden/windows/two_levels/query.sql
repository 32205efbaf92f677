-- An aggregate over closed windows; the outer clause closes both.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
WITH counts AS (
  SELECT zone, window_start, window_end, count(*) AS n
  FROM TUMBLE(trips, ts, INTERVAL 1 MINUTE)
  GROUP BY zone, window_start, window_end
)
SELECT window_end, max(n) AS busiest FROM counts GROUP BY window_end EMIT ON WINDOW CLOSE;
