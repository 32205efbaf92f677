-- T-SQL's quoted names
SELECT id FROM [orders]
