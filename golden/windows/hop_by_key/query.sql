-- Hopping windows with an offset; distinct values are counted by a set.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT zone, window_start, window_end, count(DISTINCT fare) AS fares
FROM HOP(trips, ts, INTERVAL 5 MINUTES, INTERVAL 1 HOUR, INTERVAL 1 MINUTE) AS t
GROUP BY t.zone, window_start, window_end
EMIT ON WINDOW CLOSE;
