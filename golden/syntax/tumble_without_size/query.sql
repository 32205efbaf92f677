-- TUMBLE lacks its size
SELECT * FROM TUMBLE(orders, ts)
