-- What Spark's parser takes and a stream has no meaning for.
CREATE SOURCE orders (id BIGINT, items ARRAY<STRING>, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
CREATE VIEW script AS SELECT transform(id) USING 'cat' AS (x) FROM orders;
CREATE VIEW first_of_each AS SELECT id FROM orders QUALIFY row_number() OVER (PARTITION BY id ORDER BY ALL) = 1;
CREATE VIEW star AS SELECT * FROM orders ORDER BY ALL LIMIT 1;
CREATE VIEW field_of_sliding AS SELECT window(ts, '4 seconds', '2 seconds').end AS e, count(*) AS n FROM orders GROUP BY 1 EMIT ON WINDOW CLOSE;
CREATE VIEW sliding_twice AS SELECT DISTINCT window(ts, '4 seconds', '2 seconds') AS w FROM orders EMIT ON WINDOW CLOSE;
CREATE VIEW lone_session AS SELECT id, session_window(ts, '1 minute').start AS s FROM orders;
CREATE VIEW made AS SELECT id FROM orders AS o WHERE EXISTS (SELECT explode(items) FROM orders AS p WHERE p.id = o.id);
CREATE VIEW ambiguous AS SELECT o.id FROM orders AS o JOIN orders AS p ON o.id = p.id AND o.ts = p.ts
WHERE items IN (SELECT items FROM orders AS q WHERE q.ts = o.ts) EMIT ON WINDOW CLOSE;
SELECT id FROM orders AS o WHERE EXISTS (SELECT count(*) FROM orders AS p WHERE p.id = o.id);
