-- the step of CUMULATE is longer than the window
SELECT * FROM CUMULATE(orders, ts, INTERVAL 1 DAY, INTERVAL 1 HOUR)
