-- the condition of a join comes too late
SELECT * FROM orders JOIN customers WHERE price > 10 ON orders.id = customers.id
