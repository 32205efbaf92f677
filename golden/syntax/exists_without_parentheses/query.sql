-- EXISTS without parentheses
SELECT id FROM orders WHERE NOT EXISTS SELECT 1
