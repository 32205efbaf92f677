-- T-SQL's TOP
SELECT TOP 10 id FROM orders
