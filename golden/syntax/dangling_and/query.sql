-- nothing behind AND
SELECT id FROM orders WHERE price > 10 AND
