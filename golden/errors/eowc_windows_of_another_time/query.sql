-- The windows are of a time that has no watermark, another column has it.
CREATE SOURCE trips (ts TIMESTAMP, arrival TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'trips');
SELECT window_start, count(*) AS n FROM TUMBLE(trips, arrival, INTERVAL 1 HOUR) GROUP BY window_start EMIT ON WINDOW CLOSE;
