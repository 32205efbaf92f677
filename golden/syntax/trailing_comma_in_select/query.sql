-- a comma before FROM
SELECT id, price,
FROM orders
