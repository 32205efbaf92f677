-- ROLLUP of rows that come and go: each row is there once for each grouping.
CREATE SOURCE sales (id BIGINT, shop STRING, amount INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'sales');
SELECT shop, amount, count(*) AS n, grouping_id() AS missing FROM sales
WHERE WATERMARK_TS() < ts + INTERVAL 1 DAY
GROUP BY ROLLUP (shop, amount);
