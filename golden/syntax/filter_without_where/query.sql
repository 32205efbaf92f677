-- FILTER without WHERE
SELECT count(*) FILTER (price > 10) FROM orders
