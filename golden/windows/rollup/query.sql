-- Several groupings at once; the window is in all of them.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT window_start, zone, fare, grouping_id() AS level, count(*) AS n
FROM TUMBLE(trips, ts, INTERVAL 1 HOUR)
GROUP BY window_start, ROLLUP (zone, (fare, fare % 2))
EMIT ON WINDOW CLOSE;
