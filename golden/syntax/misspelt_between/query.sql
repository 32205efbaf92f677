-- a word inside a condition is misspelt
SELECT id FROM orders WHERE price BETWEN 1 AND 10
