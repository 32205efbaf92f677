-- A password of a database, which would be read by whoever reads the query.
CREATE SOURCE orders (id BIGINT) USING json OPTIONS (path 'orders');
CREATE SINK one USING postgres OPTIONS (host 'db', password 'secret') AS SELECT id FROM orders;
CREATE SINK two USING postgres OPTIONS (url 'postgresql://me:secret@db/shop') AS SELECT id FROM orders;
CREATE SINK three USING postgres OPTIONS (url 'postgresql://me@db/shop', table 'three') AS SELECT id FROM orders;
