-- a string where a table is wanted
SELECT id FROM "orders"
