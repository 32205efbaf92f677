-- ORDER BY inside an aggregate
SELECT string_agg(status, ',' ORDER BY ts) FROM orders
