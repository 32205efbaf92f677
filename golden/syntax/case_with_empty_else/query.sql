-- nothing behind ELSE
SELECT CASE WHEN price > 10 THEN 1 ELSE END FROM orders
