-- nothing between JOIN and ON
SELECT * FROM orders JOIN ON orders.id = 1
