-- a type of another system
SELECT price::text FROM orders
