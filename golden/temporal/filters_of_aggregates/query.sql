-- Aggregates of all rows, and of those that a condition on the clock counts.
CREATE SOURCE calls (line STRING, secs INT, ts TIMESTAMP) USING parquet OPTIONS (path 'calls');
SELECT line,
       count(*) AS day,
       count(*) FILTER (WHERE mz_now() < ts + INTERVAL 1 HOUR) AS hour,
       avg(DISTINCT secs) FILTER (WHERE secs > 10) AS mean
FROM calls
WHERE mz_now() < ts + INTERVAL 1 DAY
GROUP BY line
HAVING max(ts) + INTERVAL 5 MINUTES > mz_now();
