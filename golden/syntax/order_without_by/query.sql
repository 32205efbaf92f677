-- BY is missing
SELECT id FROM orders ORDER price
