-- half a pipe
FROM orders | WHERE price > 10
