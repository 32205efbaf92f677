-- Flights in the air by carrier, on the clock of the feed, into a table with a key.
CREATE SOURCE flights (
  carrier STRING, flight STRING, dep TIMESTAMP, arr TIMESTAMP, published TIMESTAMP,
  WATERMARK FOR published AS published - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'flights');
CREATE SINK in_the_air USING sqlite OPTIONS (path 'live.db', key 'carrier') AS
SELECT carrier, count(*) AS flights, min(arr) AS next_landing
FROM flights
WHERE WATERMARK_TS() >= dep AND WATERMARK_TS() < arr
GROUP BY carrier;
