-- Rows for good, rows that wait and rows that leave, in one result.
CREATE SOURCE a (id INT, ts TIMESTAMP) USING parquet OPTIONS (path 'a');
SELECT id FROM a WHERE id > 100
UNION ALL SELECT id FROM a WHERE mz_now() >= ts + INTERVAL 1 HOUR
UNION ALL SELECT id FROM a WHERE mz_now() < ts;
