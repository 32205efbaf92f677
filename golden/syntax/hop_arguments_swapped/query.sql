-- the slide of HOP is longer than the window
SELECT * FROM HOP(orders, ts, INTERVAL 1 HOUR, INTERVAL 5 MINUTES)
