-- CAST takes AS, not a comma
SELECT CAST(price, INT) FROM orders
