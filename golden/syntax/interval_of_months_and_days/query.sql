-- an interval mixes months and days
SELECT ts - INTERVAL 1 MONTH 2 DAYS FROM orders
