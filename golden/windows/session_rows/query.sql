-- Rows of closed sessions.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT zone, fare, window_end FROM SESSION(trips, ts, zone, INTERVAL 30 SECONDS) EMIT ON WINDOW CLOSE;
