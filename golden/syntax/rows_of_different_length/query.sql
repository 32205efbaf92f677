-- the rows of VALUES differ
SELECT * FROM VALUES (1, 'a'), (2) AS t(id, name)
