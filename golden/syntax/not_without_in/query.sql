-- NOT without IN
SELECT id FROM orders WHERE id NOT (1, 2)
