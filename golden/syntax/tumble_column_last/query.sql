-- the column of TUMBLE in the wrong place
SELECT * FROM TUMBLE(orders, INTERVAL 1 MINUTE, ts)
