-- two columns stand side by side
SELECT id price status FROM orders
