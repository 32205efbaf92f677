-- A validity interval: each flight is in the result from its departure until it lands.
CREATE SOURCE flights (
  published TIMESTAMP, sched_dep TIMESTAMP, dep TIMESTAMP, arr TIMESTAMP,
  carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING,
  distance INT, dep_delay INT,
  WATERMARK FOR published AS published - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path '../build/demo/flights', maxFilesPerTrigger '1');

SELECT carrier, flight, tailnum, origin, dest
FROM flights
WHERE WATERMARK_TS() BETWEEN dep AND arr;
