-- two conditions side by side
SELECT id FROM orders WHERE price > 10 status = 'new'
