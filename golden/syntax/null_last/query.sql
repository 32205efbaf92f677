-- NULLS without its S
SELECT id FROM orders ORDER BY price DESC NULL LAST
