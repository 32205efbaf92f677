-- A column that has many values in a group.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT zone, fare, count(*) AS n FROM TUMBLE(trips, ts, INTERVAL 1 HOUR) GROUP BY zone, window_start EMIT ON WINDOW CLOSE;
