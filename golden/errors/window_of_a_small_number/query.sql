-- A window of an INT, and one of a STRING.
CREATE SOURCE trips (ts TIMESTAMP, arrival TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'trips');
CREATE VIEW by_fare AS SELECT window_start, count(*) AS n FROM TUMBLE(trips, fare, INTERVAL 1 HOUR) GROUP BY window_start EMIT ON WINDOW CLOSE;
SELECT count(*) AS n FROM trips GROUP BY window(zone, '1 hour') EMIT ON WINDOW CLOSE;
