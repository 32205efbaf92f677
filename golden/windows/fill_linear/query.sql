-- Half hours above filled minutes; those close later by the longest time that is filled.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
CREATE VIEW minutes AS
SELECT window_end - INTERVAL 1 MINUTE AS minute, avg(fare) AS fare
FROM TUMBLE(trips, ts, INTERVAL 1 MINUTE) FILL (LINEAR) FOR INTERVAL 10 MINUTES
GROUP BY window_end EMIT ON WINDOW CLOSE;
SELECT window_start, max(fare) AS most
FROM TUMBLE(minutes, minute, INTERVAL 30 MINUTES)
GROUP BY window_start, window_end EMIT ON WINDOW CLOSE;
