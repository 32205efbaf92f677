-- the first word is misspelt
SELCT id FROM orders
