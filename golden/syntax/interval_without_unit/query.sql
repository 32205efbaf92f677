-- an interval lacks its unit
SELECT ts - INTERVAL 5 FROM orders
