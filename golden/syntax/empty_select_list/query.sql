-- nothing between SELECT and FROM
SELECT FROM orders
