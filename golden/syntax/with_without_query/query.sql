-- common tables and no query
WITH a AS (SELECT 1), b AS (SELECT 2)
