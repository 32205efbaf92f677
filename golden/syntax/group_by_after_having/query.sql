-- GROUP BY comes too late
SELECT id FROM orders
HAVING count(*) > 1
GROUP BY id
