-- a frame of BETWEEN has two bounds
SELECT sum(price) OVER (ORDER BY ts ROWS BETWEEN 1 PRECEDING) FROM orders
