-- words behind the end of a query
SELECT id FROM orders LIMIT 10 please
