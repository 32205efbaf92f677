-- a date that does not exist
SELECT id FROM orders WHERE day = DATE '2024-02-30'
