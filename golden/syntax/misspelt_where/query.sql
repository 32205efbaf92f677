-- WHERE is misspelt
SELECT id FROM orders
WEHRE price > 10
