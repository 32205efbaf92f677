-- a bare name has ASCII letters only
SELECT größe FROM orders
