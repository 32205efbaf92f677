-- a window stands in parentheses
SELECT sum(price) OVER PARTITION BY id FROM orders
