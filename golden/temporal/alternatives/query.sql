-- Alternatives, NOT, and a CASE whose arms bound a row on different sides.
CREATE SOURCE plans (who STRING, plan STRING, paused BOOLEAN, joined TIMESTAMP, review TIMESTAMP)
USING parquet OPTIONS (path 'plans');
CREATE VIEW current AS SELECT * FROM plans WHERE plan = 'free' OR mz_now() < review;
SELECT who FROM current
WHERE NOT (paused AND mz_now() >= review)
  AND CASE WHEN plan = 'trial' THEN mz_now() < joined + INTERVAL 14 DAYS
           ELSE mz_now() >= joined + INTERVAL 5 MINUTES END;
