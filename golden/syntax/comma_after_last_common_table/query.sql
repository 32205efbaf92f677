-- a comma between the last common table and its query
WITH a AS (SELECT 1), SELECT * FROM a
