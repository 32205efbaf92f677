-- Sessions with an aggregate that needs all of their rows are Spark's; the gap is that of each row.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, patience STRING, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT zone, window_start, collect_list(fare) AS fares
FROM SESSION(trips, ts, zone, patience)
GROUP BY zone, window_start
EMIT ON WINDOW CLOSE;
