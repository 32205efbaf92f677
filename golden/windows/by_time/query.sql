-- The watermarked column itself is a key.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT ts, collect_list(zone) AS zones FROM trips GROUP BY ts EMIT ON WINDOW CLOSE;
