-- a value with two names
SELECT price AS a AS b FROM orders
