-- A session of a time that has no watermark, another column has it.
CREATE SOURCE trips (ts TIMESTAMP, arrival TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'trips');
SELECT zone, count(*) AS n FROM SESSION(trips, arrival, zone, INTERVAL 1 HOUR) GROUP BY zone, window_start, window_end EMIT ON WINDOW CLOSE;
