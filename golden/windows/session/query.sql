-- Sessions, aggregated.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT zone, window_start, window_end, count(*) AS n
FROM SESSION(trips, ts, zone, INTERVAL 30 SECONDS)
GROUP BY zone, window_start, window_end
EMIT ON WINDOW CLOSE;
