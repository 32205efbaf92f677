-- A grouping without the window is never final.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT window_start, zone, count(*) AS n FROM TUMBLE(trips, ts, INTERVAL 1 HOUR)
GROUP BY window_start, zone WITH ROLLUP EMIT ON WINDOW CLOSE;
