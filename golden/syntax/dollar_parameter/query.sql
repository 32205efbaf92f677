-- a parameter with a dollar
SELECT id FROM orders WHERE price > $1
