-- LATE takes a relation alone
SELECT * FROM LATE(orders, ts)
