-- Tables of databases and lakes as sinks, in each of the three modes, and as a static table.
CREATE SOURCE orders (id BIGINT, shop STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');
CREATE TABLE shops (shop STRING, city STRING) USING postgres OPTIONS (table 'ref.shops');
CREATE SINK live USING postgres OPTIONS (url 'postgresql://me@db/shop', table 'live', key 'shop') AS
SELECT shop, count(*) AS n FROM orders GROUP BY shop;
CREATE SINK history USING delta OPTIONS (path 'history', mode 'changelog', storage.aws_region 'eu') AS
SELECT shop, count(*) AS n FROM orders GROUP BY shop;
CREATE SINK kept USING iceberg OPTIONS (table 'shop.kept', catalog 'prod', partitionBy 'city') AS
SELECT o.id, s.city FROM orders AS o JOIN shops AS s ON o.shop = s.shop;
CREATE SINK late USING duckdb OPTIONS (path 'late.duckdb') AS SELECT * FROM LATE(orders);
