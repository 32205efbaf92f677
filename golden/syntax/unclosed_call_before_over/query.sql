-- a call is not closed before its window
SELECT sum(price OVER (PARTITION BY id) FROM orders
