-- a query in FROM stands in parentheses
SELECT * FROM SELECT id FROM orders
