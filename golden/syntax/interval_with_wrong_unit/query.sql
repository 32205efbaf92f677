-- an interval has a unit that is none
SELECT ts - INTERVAL 5 MINS FROM orders
