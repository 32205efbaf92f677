-- Set operations over rows that come and go.
CREATE SOURCE parts (id INT, grp STRING, ts TIMESTAMP) USING parquet OPTIONS (path 'parts');
CREATE VIEW young AS SELECT grp FROM parts WHERE mz_now() < ts + INTERVAL 10 SECONDS;
CREATE VIEW even AS SELECT grp FROM parts WHERE id % 2 = 0 AND mz_now() < ts + INTERVAL 1 MINUTE;
(SELECT grp FROM young UNION SELECT grp FROM even)
EXCEPT ALL
(SELECT grp FROM young INTERSECT SELECT grp FROM even);
