-- CASE is never ended
SELECT CASE WHEN price > 10 THEN 'dear' ELSE 'cheap' FROM orders
