-- Flights in the air right now, for each carrier: a flight counts from its departure until it has
-- landed. The clock is the feed's own time.
CREATE SOURCE flights (
  published TIMESTAMP, sched_dep TIMESTAMP, dep TIMESTAMP, arr TIMESTAMP,
  carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING,
  distance INT, dep_delay INT,
  WATERMARK FOR published AS published - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path '../build/demo/flights', maxFilesPerTrigger '1');

CREATE VIEW in_the_air AS
SELECT carrier, count(*) AS flights, min(arr) AS next_landing
FROM flights
WHERE WATERMARK_TS() >= dep AND WATERMARK_TS() < arr
GROUP BY carrier;

-- The result as it stands, for whoever asks, and every change.
CREATE SINK live USING sqlite OPTIONS (path '../build/demo/in_the_air.db', key 'carrier') AS
SELECT * FROM in_the_air;

SELECT * FROM in_the_air;
