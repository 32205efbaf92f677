-- ORDER BY comes too late
SELECT id FROM orders LIMIT 10 ORDER BY price
