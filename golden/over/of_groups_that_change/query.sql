-- Window functions over groups as they stand, and a numbering without a limit.
CREATE SOURCE sales (id BIGINT, shop STRING, amount INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'sales');
CREATE SINK shops USING json OPTIONS (path 'shops') AS
SELECT shop, sum(amount) AS sold, rank() OVER (ORDER BY sum(amount) DESC) AS place,
  sum(amount) / sum(sum(amount)) OVER () AS share
FROM sales GROUP BY shop;
CREATE SINK numbered USING json OPTIONS (path 'numbered') AS
SELECT id, row_number() OVER (PARTITION BY shop ORDER BY amount DESC, id) AS place FROM sales
WHERE WATERMARK_TS() < ts + INTERVAL 1 DAY;
