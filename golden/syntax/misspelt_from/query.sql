-- FROM is misspelt
SELECT id, price
FORM orders
