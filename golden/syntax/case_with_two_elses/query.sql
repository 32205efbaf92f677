-- ELSE stands twice
SELECT CASE WHEN price > 10 THEN 1 ELSE 2 ELSE 3 END FROM orders
