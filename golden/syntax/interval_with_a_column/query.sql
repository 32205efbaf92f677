-- The amount of an interval is a column, or computed.
SELECT ts + INTERVAL amount MINUTES FROM orders;
SELECT ts - INTERVAL o.amount + 1 HOUR FROM orders AS o;
SELECT id FROM orders WHERE ts - amount DAYS > now();
SELECT ts + INTERVAL concat(amount, ' days') FROM orders
