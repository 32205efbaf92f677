-- Zones that were busy in a window both by trips and by fares, final with the window.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT zone, window_end FROM TUMBLE(trips, ts, INTERVAL 1 MINUTE)
GROUP BY zone, window_start, window_end HAVING count(*) > 10
INTERSECT
SELECT zone, window_end FROM TUMBLE(trips, ts, INTERVAL 1 MINUTE)
GROUP BY zone, window_start, window_end HAVING sum(fare) > 1000
EMIT ON WINDOW CLOSE;
