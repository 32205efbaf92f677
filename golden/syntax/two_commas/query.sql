-- two commas in a row
SELECT id,, price FROM orders
