-- a condition of a join behind a comma
SELECT * FROM orders, customers ON orders.id = customers.id
