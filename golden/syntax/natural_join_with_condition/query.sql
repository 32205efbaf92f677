-- a NATURAL join has its own condition
SELECT * FROM orders NATURAL JOIN customers ON orders.id = customers.id
