-- a frame of two bounds without BETWEEN
SELECT sum(price) OVER (ORDER BY ts ROWS 5 PRECEDING AND CURRENT ROW) FROM orders
