-- No key of the groups closes.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT zone, count(*) AS n FROM trips GROUP BY zone EMIT ON WINDOW CLOSE;
