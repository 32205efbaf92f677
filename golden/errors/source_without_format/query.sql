-- A source that does not say where its rows come from.
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP);
SELECT id FROM orders;
