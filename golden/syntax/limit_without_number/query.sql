-- OFFSET without a number
SELECT id FROM orders LIMIT 10 OFFSET
