-- A session goes on after each of its rows for as long as that row says.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, minutes INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT zone, session_window.end AS ends, sum(fare) AS fares
FROM trips
GROUP BY zone, session_window(ts, CASE WHEN zone = 'JFK' THEN '1 hour' ELSE concat(minutes, ' minutes') END)
EMIT ON WINDOW CLOSE;
