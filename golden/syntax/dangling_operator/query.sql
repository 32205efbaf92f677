-- nothing behind an operator
SELECT price * FROM orders
