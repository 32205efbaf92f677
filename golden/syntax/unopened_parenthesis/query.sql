-- a parenthesis too many
SELECT id) FROM orders
