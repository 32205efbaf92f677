-- Spark's window() as a key; its bounds are columns.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT window.start AS begins, zone, max(fare) AS top
FROM trips
GROUP BY window(ts, '20 seconds', '10 seconds'), zone
EMIT ON WINDOW CLOSE;
