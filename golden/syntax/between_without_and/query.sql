-- AND is missing between the bounds
SELECT id FROM orders WHERE price BETWEEN 1 10
