-- A day of a city closes when no more of its times come, an hour later where the clocks go back.
CREATE SOURCE rides (ts TIMESTAMP, km INT, WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE) USING parquet OPTIONS (path 'rides');
CREATE VIEW days AS SELECT date_trunc('DAY', from_utc_timestamp(ts, 'America/New_York')) AS day, sum(km) AS km
  FROM rides GROUP BY date_trunc('DAY', from_utc_timestamp(ts, 'America/New_York')) EMIT ON WINDOW CLOSE;
SELECT date_format(day, 'yyyy-MM') AS month, max(km) AS most FROM days GROUP BY date_format(day, 'yyyy-MM') EMIT ON WINDOW CLOSE;
