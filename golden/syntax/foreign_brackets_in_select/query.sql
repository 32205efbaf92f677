-- T-SQL's quotes around a column
SELECT [id] FROM orders
