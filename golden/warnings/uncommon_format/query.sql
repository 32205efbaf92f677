-- A format that is nearly a common one.
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP) USING cvs OPTIONS (path 'orders');
SELECT id FROM orders;
