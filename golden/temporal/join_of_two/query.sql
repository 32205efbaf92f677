-- A pair is visible while both of its rows are.
CREATE SOURCE shops (shop INT, region STRING, open_from TIMESTAMP, open_to TIMESTAMP)
USING parquet OPTIONS (path 'shops');
CREATE SOURCE sales (shop INT, amount INT, ts TIMESTAMP) USING parquet OPTIONS (path 'sales');
WITH open_shops AS (SELECT shop, region FROM shops WHERE mz_now() BETWEEN open_from AND open_to),
     last_sales AS (SELECT shop, amount FROM sales WHERE mz_now() < ts + INTERVAL 30 SECONDS)
SELECT region, amount FROM open_shops JOIN last_sales USING (shop);
