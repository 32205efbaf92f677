-- What Spark's parser takes and a stream has no meaning for.
CREATE SOURCE orders (id BIGINT, items ARRAY<STRING>, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
CREATE VIEW script AS SELECT transform(id) USING 'cat' AS (x) FROM orders;
CREATE VIEW first_of_each AS SELECT id FROM orders QUALIFY row_number() OVER (PARTITION BY id ORDER BY ALL) = 1;
CREATE VIEW star AS SELECT * FROM orders ORDER BY ALL LIMIT 1;
SELECT id FROM orders AS o WHERE EXISTS (SELECT count(*) FROM orders AS p WHERE p.id = o.id);
