-- Flights in the air right now, for each carrier: a flight counts from its departure until it has
-- landed. The clock is the feed's own time; every change goes to the console.
CREATE SOURCE flights (
  published TIMESTAMP, sched_dep TIMESTAMP, dep TIMESTAMP, arr TIMESTAMP,
  carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING,
  distance INT, dep_delay INT,
  WATERMARK FOR published AS published - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path '../build/demo/flights', maxFilesPerTrigger '1');

SELECT carrier, count(*) AS flights
FROM flights
WHERE WATERMARK_TS() >= dep AND WATERMARK_TS() < arr
GROUP BY carrier;
