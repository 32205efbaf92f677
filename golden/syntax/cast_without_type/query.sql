-- nothing behind AS in a cast
SELECT CAST(price AS) FROM orders
