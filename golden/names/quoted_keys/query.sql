-- Columns and fields with a dot or a space in their names: keys, arguments and partners.
CREATE SOURCE orders (`order.id` BIGINT, `sold at` TIMESTAMP, place STRUCT<`zip code`: STRING>, WATERMARK FOR `sold at` AS `sold at`)
USING parquet OPTIONS (path 'orders');
CREATE SOURCE refunds (`order.id` BIGINT) USING parquet OPTIONS (path 'refunds');

SELECT `o 1`.place.`zip code`, max(`o 1`.`order.id`) AS `last.id`, count(*) AS `number of`
FROM orders AS `o 1`
WHERE NOT EXISTS (SELECT 1 FROM refunds AS `left` WHERE `left`.`order.id` = `o 1`.`order.id`)
GROUP BY `o 1`.place.`zip code`
ORDER BY `number of` LIMIT 3;
