-- The same as a table in SQLite, which holds the result as it stands: a row for each carrier that
-- has flights in the air, and when the first of them will land.
CREATE SOURCE flights (
  published TIMESTAMP, sched_dep TIMESTAMP, dep TIMESTAMP, arr TIMESTAMP,
  carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING,
  distance INT, dep_delay INT,
  WATERMARK FOR published AS published - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path '../build/demo/flights', maxFilesPerTrigger '1');

CREATE SINK in_the_air USING sqlite OPTIONS (path '../build/demo/live.db', key 'carrier') AS
SELECT carrier, count(*) AS flights, min(arr) AS next_landing
FROM flights
WHERE WATERMARK_TS() >= dep AND WATERMARK_TS() < arr
GROUP BY carrier;
