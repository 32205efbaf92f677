-- Sessions of rows that wait: Spark forms them in times that are later by the wait.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT zone, window_start, window_end, sum(fare) AS fares
FROM SESSION((SELECT * FROM trips WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS()), ts, zone, INTERVAL 1 MINUTE)
GROUP BY zone, window_start, window_end
EMIT ON WINDOW CLOSE;
