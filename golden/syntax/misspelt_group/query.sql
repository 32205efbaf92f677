-- the first word of a phrase is misspelt
SELECT id, count(*) FROM orders
GRUOP BY id
