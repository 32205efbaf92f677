-- BY is missing in a window
SELECT sum(price) OVER (PARTITION id) FROM orders
