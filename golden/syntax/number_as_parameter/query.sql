-- a parameter is a name
SELECT id FROM orders WHERE price > :1
