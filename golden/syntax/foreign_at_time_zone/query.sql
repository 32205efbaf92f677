-- the standard's time zones
SELECT ts AT TIME ZONE 'Europe/Paris' FROM orders
