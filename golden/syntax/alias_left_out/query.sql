-- nothing behind AS
SELECT price AS FROM orders
