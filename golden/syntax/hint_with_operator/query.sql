-- a hint with an operator
SELECT /*+ COALESCE(1 + 2) */ id FROM orders
