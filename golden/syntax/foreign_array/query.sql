-- brackets around values
SELECT id FROM orders WHERE ids = [1, 2]
