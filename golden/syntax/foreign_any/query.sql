-- ANY over a query
SELECT id FROM orders WHERE price > ANY (SELECT price FROM old)
