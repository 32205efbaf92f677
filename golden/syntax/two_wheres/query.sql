-- WHERE stands twice
SELECT id FROM orders WHERE price > 10 WHERE status = 'new'
