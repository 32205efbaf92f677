-- FROM comes too late
SELECT id WHERE price > 10 FROM orders
