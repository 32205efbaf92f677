-- IF is a function
SELECT IF price > 10 THEN 'dear' ELSE 'cheap' FROM orders
