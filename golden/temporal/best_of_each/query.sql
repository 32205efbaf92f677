-- The three best sales of the last hour in each shop.
CREATE SOURCE sales (shop STRING, item STRING, amount INT, ts TIMESTAMP)
USING parquet OPTIONS (path 'sales');
CREATE VIEW numbered AS
SELECT *, row_number() OVER (PARTITION BY shop ORDER BY amount DESC, lower(item)) AS place
FROM sales WHERE mz_now() < ts + INTERVAL 1 HOUR;
SELECT shop, item, amount, place FROM numbered WHERE place <= 3;
