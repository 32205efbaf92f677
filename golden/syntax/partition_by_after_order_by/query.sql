-- the parts of a window are swapped
SELECT rank() OVER (ORDER BY price PARTITION BY id) FROM orders
