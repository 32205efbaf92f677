-- An aggregate over everything is never final.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT count(*) AS n FROM trips EMIT ON WINDOW CLOSE;
