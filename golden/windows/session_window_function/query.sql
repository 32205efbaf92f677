-- Spark's session_window() as a key: a session of the other keys.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT zone, session_window.end AS ends, count(*) AS n
FROM trips GROUP BY zone, session_window(ts, '5 minutes') EMIT ON WINDOW CLOSE;
