-- DISTINCT is of whole rows
SELECT DISTINCT a, DISTINCT b + 1 FROM orders
