-- Aggregates of distinct values come from sets; the job asks Spark for their types.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare DECIMAL(8, 2), WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT t.window_start, sum(DISTINCT t.fare) AS total, avg(DISTINCT t.fare) FILTER (WHERE t.zone <> 'X') AS mean,
       count(DISTINCT t.fare) FILTER (WHERE t.zone = 'X') AS n, max(DISTINCT t.fare) AS top
FROM TUMBLE(trips, ts, INTERVAL 1 HOUR) AS t GROUP BY t.window_start EMIT ON WINDOW CLOSE;
