-- a named window without AS
SELECT sum(price) OVER w FROM orders WINDOW w (PARTITION BY id)
