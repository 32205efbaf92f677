-- Flights in the air for each carrier as a Delta table that is merged by key, and flights that have
-- landed as rows of another. Nothing of Spark's Delta library is needed.
CREATE SOURCE flights (
  published TIMESTAMP, dep TIMESTAMP, arr TIMESTAMP, carrier STRING, origin STRING,
  WATERMARK FOR published AS published - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path '../../build/demo/flights');

CREATE SINK live USING delta OPTIONS (path '../../build/demo/delta/in_the_air', key 'carrier') AS
SELECT carrier, count(*) AS flights, min(arr) AS next_landing FROM flights
WHERE WATERMARK_TS() >= dep AND WATERMARK_TS() < arr GROUP BY carrier;

CREATE SINK landed
USING delta OPTIONS (path '../../build/demo/delta/landed', partitionBy 'origin') AS
SELECT carrier, origin, arr FROM flights WHERE arr <= WATERMARK_TS();
