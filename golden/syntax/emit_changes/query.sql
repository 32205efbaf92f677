-- EMIT stands at the end of a query, that of changes, too.
SELECT id, count(*) AS n FROM orders EMIT CHANGES EVERY INTERVAL 10 SECONDS GROUP BY id;
