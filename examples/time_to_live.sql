-- Every row brings its own time to live: a departure stays on the board for as long as it was late,
-- at least a quarter of an hour.
CREATE SOURCE flights (
  published TIMESTAMP, sched_dep TIMESTAMP, dep TIMESTAMP, arr TIMESTAMP,
  carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING,
  distance INT, dep_delay INT,
  WATERMARK FOR published AS published - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path '../build/demo/flights', maxFilesPerTrigger '1');

SELECT carrier, flight, dest, dep_delay
FROM flights
WHERE WATERMARK_TS() >= published
  AND WATERMARK_TS() < published + greatest(dep_delay, 15) * INTERVAL 1 MINUTE;
