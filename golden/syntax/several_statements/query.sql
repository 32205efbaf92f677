-- independent statements fail on their own
CREATE SOURCE orders (id BIGINT ts TIMESTAMP);
SELECT id FROM orders; -- this one is right
SELECT id, FROM orders;
SELECT 'größe' AS size FORM orders
