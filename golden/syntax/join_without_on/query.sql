-- the condition of a join without ON
SELECT id FROM orders JOIN customers orders.id = customers.id
