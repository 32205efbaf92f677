-- EMIT at the head of a query
SELECT EMIT ON WINDOW CLOSE id FROM orders
