-- a comma before HAVING
SELECT id FROM orders GROUP BY id, HAVING count(*) > 1
