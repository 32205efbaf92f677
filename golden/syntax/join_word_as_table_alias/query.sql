-- a word that would hide a join
SELECT * FROM orders AS left
