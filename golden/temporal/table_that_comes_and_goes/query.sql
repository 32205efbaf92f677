-- LEFT JOIN with rows of a table that are valid for a time: without one in force the row stands alone.
CREATE SOURCE orders (id BIGINT, item STRING) USING parquet OPTIONS (path 'orders');
CREATE TABLE prices (item STRING, price INT, since TIMESTAMP, until TIMESTAMP) USING parquet OPTIONS (path 'prices');
CREATE VIEW in_force AS SELECT item, price FROM prices WHERE mz_now() >= since AND mz_now() < until;
SELECT o.id, p.price FROM orders AS o LEFT JOIN in_force AS p ON o.item = p.item;
