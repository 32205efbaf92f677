-- the parameters of a lambda stand in parentheses of their own
SELECT zip_with(a, b, x, y -> x + y), filter(a, (x, y -> x > y)) FROM t
