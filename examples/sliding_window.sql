-- A sliding window: departures of the last hour from each airport, and how late they were.
-- A departure counts for an hour, whatever comes after it.
CREATE SOURCE flights (
  published TIMESTAMP, sched_dep TIMESTAMP, dep TIMESTAMP, arr TIMESTAMP,
  carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING,
  distance INT, dep_delay INT,
  WATERMARK FOR published AS published - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path '../build/demo/flights', maxFilesPerTrigger '1');

SELECT origin, count(*) AS departures, round(avg(dep_delay), 1) AS mean_delay
FROM flights
WHERE published BETWEEN WATERMARK_TS() - INTERVAL 1 HOUR AND WATERMARK_TS()
GROUP BY origin;
