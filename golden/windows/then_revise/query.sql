-- Each window once it has closed; trips that are late by up to an hour change it.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT zone, window_start, count(*) AS n, sum(fare) / count(*) AS mean
FROM TUMBLE(trips, ts, INTERVAL 10 MINUTES) GROUP BY zone, window_start, window_end HAVING count(*) > 1
EMIT ON WINDOW CLOSE THEN REVISE FOR INTERVAL 1 HOUR;
