-- a sample stands in parentheses
SELECT * FROM orders TABLESAMPLE 10 PERCENT
