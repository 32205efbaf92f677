-- FILL makes groups of windows without rows; there have to be groups.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT zone, fare FROM TUMBLE(trips, ts, INTERVAL 10 MINUTES) FILL (0) EMIT ON WINDOW CLOSE;
