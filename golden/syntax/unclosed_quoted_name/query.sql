-- a quoted name runs to the end
SELECT `order id FROM orders
