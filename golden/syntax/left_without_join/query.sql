-- a join type without JOIN
SELECT * FROM orders LEFT customers ON orders.id = customers.id
