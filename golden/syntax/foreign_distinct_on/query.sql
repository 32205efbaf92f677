-- PostgreSQL's first row of each key
SELECT DISTINCT ON (id) id, ts FROM orders
