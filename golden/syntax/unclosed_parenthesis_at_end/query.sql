-- a subquery is not closed at the end
SELECT *
FROM (
  SELECT id FROM orders
WHERE id > 1
