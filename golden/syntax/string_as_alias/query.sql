-- a string where a name is wanted
SELECT price AS 'net price' FROM orders
