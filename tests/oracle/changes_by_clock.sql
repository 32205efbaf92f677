-- Queries over sources of changes `a` and `b` that read the wall clock.
SELECT id, k FROM a WHERE ts <= mz_now();
SELECT id FROM a WHERE mz_now() < ts + INTERVAL 3 SECONDS;
SELECT id, v FROM a WHERE ts <= mz_now() AND mz_now() < ts + INTERVAL 4 SECONDS;
SELECT k, count(*) AS n, sum(v) AS s FROM a WHERE ts <= mz_now() AND mz_now() < ts + INTERVAL 4 SECONDS GROUP BY k;
SELECT k, count(*) AS n, count(*) FILTER (WHERE ts <= mz_now()) AS m FROM a GROUP BY k;
SELECT a.id, b.id AS j FROM a JOIN b ON a.k = b.k WHERE a.ts <= mz_now() AND mz_now() < b.ts + INTERVAL 5 SECONDS;
SELECT a.id, b.id AS j FROM a LEFT JOIN (SELECT id, k FROM b WHERE ts <= mz_now()) AS b ON a.k = b.k;
SELECT DISTINCT k FROM a WHERE ts <= mz_now() OR v > 5;
SELECT id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND b.ts <= mz_now());
SELECT id, v FROM a WHERE ts <= mz_now() ORDER BY v DESC NULLS LAST, id LIMIT 2;
