-- The main job: a boolean mix of conditions, each alternative with a time of release of its own.
CREATE SOURCE flights (
  carrier STRING, flight INT, origin STRING, dest STRING, distance INT,
  dep TIMESTAMP, published TIMESTAMP,
  WATERMARK FOR published AS published - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'flights');

SELECT carrier, flight, origin, dest, published
FROM flights
WHERE (origin <> 'JFK' AND published + INTERVAL 15 MINUTES <= WATERMARK_TS())
   OR (carrier = 'HA')
   OR (origin = 'JFK' AND CASE WHEN distance > 2000 THEN published + INTERVAL 1 HOUR <= WATERMARK_TS()
                               ELSE dep + INTERVAL 30 MINUTES < WATERMARK_TS() END);
