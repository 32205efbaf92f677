-- HAVING and expressions over aggregates, one row a window.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT window_start, count(*) AS n, sum(fare) / count(*) AS mean
FROM TUMBLE(trips, ts, INTERVAL 10 MINUTES)
WHERE fare > 0
GROUP BY window_start
HAVING count(*) > 1
EMIT ON WINDOW CLOSE;
