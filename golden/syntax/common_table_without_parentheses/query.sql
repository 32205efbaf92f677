-- the query of a common table stands in parentheses
WITH recent AS SELECT id FROM orders SELECT * FROM recent
