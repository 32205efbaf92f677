-- two clauses that exclude each other
SELECT id FROM orders ORDER BY id SORT BY price
