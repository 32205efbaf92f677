-- Groups of rows that wait are final later, by the longest wait.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT zone, window_start, sum(fare) AS fares
FROM TUMBLE(trips, ts, INTERVAL 1 MINUTE)
WHERE CASE WHEN fare > 100 THEN ts + INTERVAL 10 MINUTES <= WATERMARK_TS()
           ELSE ts + INTERVAL 90 SECONDS <= WATERMARK_TS() END
GROUP BY zone, window_start
EMIT ON WINDOW CLOSE;
