-- EXISTS without its last letter
SELECT id FROM orders AS o WHERE NOT EXIST (SELECT 1 FROM payments AS p WHERE p.id = o.id)
