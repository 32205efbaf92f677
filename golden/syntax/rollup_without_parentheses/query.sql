-- ROLLUP takes a list in parentheses
SELECT id, status FROM orders GROUP BY ROLLUP id, status
