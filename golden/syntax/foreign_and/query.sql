-- a C operator
SELECT id FROM orders WHERE price > 1 && price < 10
