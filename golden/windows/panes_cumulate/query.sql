-- Windows that grow by the hour: a row goes into the pane of its hour, rows that wait below close them later.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'trips');
SELECT window_start, window_end, sum(fare) AS fares, count(fare) AS paid
FROM CUMULATE((SELECT * FROM trips WHERE ts + INTERVAL 5 MINUTES <= WATERMARK_TS()), ts, INTERVAL 1 HOUR, INTERVAL 1 DAY)
GROUP BY window_start, window_end
EMIT ON WINDOW CLOSE;
