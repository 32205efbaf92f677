-- Rows wait for a moment that is in no fixed distance from their windows.
CREATE SOURCE trips (ts TIMESTAMP, arrival TIMESTAMP, zone STRING, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'trips');
SELECT window_start, count(*) AS n
FROM TUMBLE(trips, ts, INTERVAL 1 MINUTE)
WHERE zone = 'near' OR arrival <= WATERMARK_TS()
GROUP BY window_start
EMIT ON WINDOW CLOSE;
