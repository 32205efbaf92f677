-- THEN is missing
SELECT CASE WHEN price > 10 'dear' END FROM orders
