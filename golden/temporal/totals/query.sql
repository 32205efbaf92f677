-- Totals of all rows so far, without any clock.
CREATE SOURCE badges (id INT, hall STRING) USING parquet OPTIONS (path 'badges');
SELECT count(*) AS people, count(DISTINCT hall) AS halls FROM badges;
