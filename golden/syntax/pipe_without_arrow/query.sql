-- half a pipe
FROM orders | FILTER price > 10
