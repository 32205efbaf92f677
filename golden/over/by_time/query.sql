-- A frame by time looks both ways and closes by the watermark alone.
CREATE SOURCE birds (ts TIMESTAMP, species STRING, WATERMARK FOR ts AS ts - INTERVAL 1 SECOND)
USING parquet OPTIONS (path 'birds');
SELECT species, ts, count(*) OVER (
  PARTITION BY species ORDER BY ts
  RANGE BETWEEN INTERVAL 2 SECONDS PRECEDING AND INTERVAL 3 SECONDS FOLLOWING
) AS flock
FROM birds EMIT ON WINDOW CLOSE;
