-- Changes are told when a clock passes a multiple; nothing moves one here.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare INT) USING parquet OPTIONS (path 'trips');
SELECT zone, count(*) AS n FROM trips GROUP BY zone EMIT CHANGES EVERY INTERVAL 1 MINUTE;
