-- Trips of the last hour by zone, told once a minute.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT zone, count(*) AS n, sum(fare) AS total FROM trips WHERE WATERMARK_TS() < ts + INTERVAL 1 HOUR
GROUP BY zone EMIT CHANGES EVERY INTERVAL 1 MINUTE;
