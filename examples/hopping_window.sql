-- Hopping windows: departures of every whole hour that begins or ends on a half hour, for as long as
-- the window is one of the last six hours'.
CREATE SOURCE flights (
  published TIMESTAMP, sched_dep TIMESTAMP, dep TIMESTAMP, arr TIMESTAMP,
  carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING,
  distance INT, dep_delay INT,
  WATERMARK FOR published AS published - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path '../build/demo/flights', maxFilesPerTrigger '1');

SELECT origin, window_start, window_end, count(*) AS departures
FROM HOP(flights, published, INTERVAL 30 MINUTES, INTERVAL 1 HOUR)
WHERE WATERMARK_TS() >= window_end AND WATERMARK_TS() < window_end + INTERVAL 6 HOURS
GROUP BY origin, window_start, window_end;
