-- Windows without rows, for an hour after the last one with some; HAVING is asked of these, too.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT zone, window_start, count(*) AS n, sum(fare) / count(*) AS mean
FROM TUMBLE(trips, ts, INTERVAL 10 MINUTES) FILL (PREVIOUS) FOR INTERVAL 1 HOUR
GROUP BY zone, window_start, window_end HAVING count(*) > 1
EMIT ON WINDOW CLOSE;
