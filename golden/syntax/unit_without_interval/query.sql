-- a duration lacks INTERVAL
SELECT id FROM orders WHERE ts > now() - 5 MINUTES
