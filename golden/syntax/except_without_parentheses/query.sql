-- the columns of EXCEPT stand in parentheses
SELECT o.* EXCEPT price FROM orders AS o
