-- one name for two common tables
WITH a AS (SELECT 1), b AS (SELECT 2), A AS (SELECT 3) SELECT * FROM a
