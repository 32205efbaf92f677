-- A truncated time closes with the end of what it was truncated to.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT date_trunc('HOUR', ts) AS hour, count(*) AS n FROM trips GROUP BY 1 EMIT ON WINDOW CLOSE;
