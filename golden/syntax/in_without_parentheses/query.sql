-- IN takes a list in parentheses
SELECT id FROM orders WHERE status IN 'new', 'paid'
