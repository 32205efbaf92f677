-- a string runs to the end
SELECT id FROM orders WHERE status = 'new
