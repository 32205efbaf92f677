-- quotes from a word processor
SELECT id FROM orders WHERE status = ‘new’
