-- A table and a view over it that need backquotes; what has no name there is called as it is written.
CREATE SOURCE orders (`order.id` BIGINT, zip STRING) USING parquet OPTIONS (path 'orders');
CREATE TABLE `zip codes` (Zip STRING, `Sales Area` STRING) USING parquet OPTIONS (path 'zips');
CREATE VIEW `all.areas` AS SELECT Zip, `Sales Area`, upper(`Sales Area`) FROM `zip codes`;

SELECT o.`order.id`, areas.* FROM orders AS o JOIN `all.areas` AS areas ON o.zip = areas.zip
EXCEPT
SELECT `order.id` + 1, zip, zip, zip FROM orders;
