-- Columns with a dot in their names beside window functions and groups that close.
CREATE SOURCE orders (`order.id` BIGINT, `sold at` TIMESTAMP, `a``b` INT, WATERMARK FOR `sold at` AS `sold at`)
USING parquet OPTIONS (path 'orders');

SELECT `left`.`order.id`, `left`.`sold at`, lag(`a``b`) OVER (PARTITION BY `left`.`order.id` ORDER BY `left`.`sold at`) AS `be.fore`
FROM (
  SELECT `x 1`.`order.id`, `x 1`.`sold at`, max(`x 1`.`a``b`) AS `a``b`
  FROM orders AS `x 1` GROUP BY `x 1`.`order.id`, `x 1`.`sold at`
) AS `left`
EMIT ON WINDOW CLOSE;
