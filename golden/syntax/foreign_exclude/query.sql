-- a star with EXCLUDE
SELECT * EXCLUDE (price) FROM orders
