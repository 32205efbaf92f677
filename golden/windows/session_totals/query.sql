-- Of a session a few numbers are kept, and its columns computed of them.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare DECIMAL(10, 2), tip DECIMAL(10, 2), WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT upper(t.zone) AS zone, session_window, sum(fare + tip) / count(*) AS each, max(tip) FILTER (WHERE fare > 10) AS tip
FROM trips AS t
GROUP BY upper(t.zone), session_window(ts, '5 minutes')
HAVING count(*) > 2
EMIT ON WINDOW CLOSE;
