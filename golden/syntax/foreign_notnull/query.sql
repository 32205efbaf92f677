-- NOTNULL in one word
SELECT id FROM orders WHERE price NOTNULL
