-- Windows that grow by six hours to a day.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT window_end, sum(fare) AS fares
FROM CUMULATE(trips, ts, INTERVAL 6 HOURS, INTERVAL 1 DAY)
GROUP BY window_end
EMIT ON WINDOW CLOSE;
