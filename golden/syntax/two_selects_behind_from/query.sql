-- Hive's several queries over one FROM
FROM orders SELECT id SELECT price
