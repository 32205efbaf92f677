-- USING takes a list in parentheses
SELECT * FROM orders JOIN customers USING id
