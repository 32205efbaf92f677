-- Rows before and after, by number: a row waits for the next one. A named window serves two functions.
CREATE SOURCE pressure (site INT, ts TIMESTAMP, hpa DOUBLE, WATERMARK FOR ts AS ts - INTERVAL 1 SECOND)
USING parquet OPTIONS (path 'pressure');
SELECT site, ts, avg(hpa) OVER (
  PARTITION BY site ORDER BY ts ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING
) AS smooth, hpa - lag(hpa) OVER w AS change
FROM pressure
WINDOW w AS (PARTITION BY site ORDER BY ts)
EMIT ON WINDOW CLOSE;
