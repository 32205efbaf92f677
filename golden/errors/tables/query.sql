-- What tables of databases and lakes are not told: a path, a key, that the result changes, two places.
CREATE SOURCE orders (id BIGINT, shop STRING) USING json OPTIONS (path 'orders');
CREATE SOURCE stream (id BIGINT) USING postgres OPTIONS (table 'stream');
CREATE TABLE small (id BIGINT) USING sqlite OPTIONS (path 'small.db');
CREATE SINK nowhere USING delta AS SELECT id FROM orders;
CREATE SINK no_key USING iceberg OPTIONS (table 'a.b', mode 'upsert') AS SELECT id FROM orders;
CREATE SINK for_good USING postgres AS SELECT shop, count(*) AS n FROM orders GROUP BY shop;
CREATE SINK odd USING postgres OPTIONS (tabel 'odd', key 'id') AS SELECT id FROM orders;
CREATE SINK one USING postgres OPTIONS (url 'postgresql://db/x', table 't') AS SELECT id FROM orders;
CREATE SINK two USING postgres OPTIONS (url 'postgresql://db/x', table 't', key 'id') AS SELECT id FROM orders;
