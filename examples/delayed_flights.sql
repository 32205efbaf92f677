-- Departures from New York, each published when its delay is known well enough:
-- from Newark and LaGuardia after a quarter of an hour, Hawaiian Airlines at once, long flights
-- from Kennedy after an hour, its other flights half an hour after they have left.
CREATE SOURCE flights (
  published TIMESTAMP, sched_dep TIMESTAMP, dep TIMESTAMP, arr TIMESTAMP,
  carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING,
  distance INT, dep_delay INT,
  WATERMARK FOR published AS published - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path '../build/demo/flights', maxFilesPerTrigger '1');

SELECT carrier, flight, origin, dest, published
FROM flights
WHERE (origin <> 'JFK' AND published + INTERVAL 15 MINUTES <= WATERMARK_TS())
   OR (carrier = 'HA')
   OR (origin = 'JFK' AND CASE WHEN distance > 2000 THEN published + INTERVAL 1 HOUR <= WATERMARK_TS()
                               ELSE dep + INTERVAL 30 MINUTES < WATERMARK_TS() END);
