-- a call is not closed before FROM
SELECT round(price, 2 FROM orders
