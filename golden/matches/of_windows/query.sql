-- A pattern in final groups: three hours, each with more than the one before.
CREATE SOURCE ticks (
  k STRING, ts TIMESTAMP, n INT, price DECIMAL(10, 2), WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'ticks');
SELECT * FROM (
  SELECT k, window_start, count(*) AS n FROM TUMBLE(ticks, ts, INTERVAL 1 HOUR)
  GROUP BY k, window_start
) MATCH_RECOGNIZE (
  PARTITION BY k ORDER BY window_start
  MEASURES FIRST(window_start) AS since, LAST(n) AS n
  AFTER MATCH SKIP TO NEXT ROW
  PATTERN (a more{2}) DEFINE more AS more.n > PREV(more.n)
) AS m;
