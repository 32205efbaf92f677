-- WHERE comes too late
SELECT id
FROM orders
ORDER BY price
WHERE price > 10
