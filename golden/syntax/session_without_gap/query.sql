-- SESSION lacks its gap
SELECT * FROM SESSION(orders, ts, id)
