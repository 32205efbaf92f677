-- Tumbling windows: departures by the hour. An hour appears once it is over, and stays for half a day.
CREATE SOURCE flights (
  published TIMESTAMP, sched_dep TIMESTAMP, dep TIMESTAMP, arr TIMESTAMP,
  carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING,
  distance INT, dep_delay INT,
  WATERMARK FOR published AS published - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path '../build/demo/flights', maxFilesPerTrigger '1');

CREATE VIEW hourly AS
SELECT origin, date_trunc('HOUR', published) + INTERVAL 1 HOUR AS hour_end FROM flights;

SELECT origin, hour_end, count(*) AS departures
FROM hourly
WHERE WATERMARK_TS() >= hour_end AND WATERMARK_TS() < hour_end + INTERVAL 12 HOURS
GROUP BY origin, hour_end;
