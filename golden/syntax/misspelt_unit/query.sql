-- a unit inside the text of an interval is misspelt
SELECT ts - INTERVAL '5 minuts' FROM orders
