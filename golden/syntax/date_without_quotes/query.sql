-- a date as a number
SELECT id FROM orders WHERE day > DATE 2024-01-01
