-- Names that need backquotes, in any script.
CREATE SOURCE `订单` (
  `order id` BIGINT, `größe` INT, `a.b` INT, `a``b` INT, `select` STRING, `where` TIMESTAMP,
  WATERMARK FOR `where` AS `where`
) USING parquet OPTIONS (path 'my orders/2024');
CREATE VIEW `1st-view` AS SELECT * FROM `订单`;

SELECT `order id`, `größe` AS `Größe`, `a.b`, `a``b`, `select`
FROM `1st-view` AS `v 1`
WHERE `v 1`.`where` <= WATERMARK_TS(`v 1`) AND `a.b` IS NOT NULL;
