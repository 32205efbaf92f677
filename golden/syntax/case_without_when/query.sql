-- CASE with a condition but no WHEN
SELECT CASE price > 10 THEN 'dear' END FROM orders
