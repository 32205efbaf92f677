-- the bounds of BETWEEN in parentheses
SELECT id FROM orders WHERE price BETWEEN (1, 10)
