-- Shops that owe more than the mean of all, and their orders that are not due yet.
CREATE SOURCE orders (id BIGINT, shop STRING, pieces INT, due TIMESTAMP)
USING parquet OPTIONS (path 'orders');
CREATE VIEW owed AS
SELECT shop, sum(pieces) AS pieces FROM orders WHERE mz_now() < due GROUP BY shop;
CREATE VIEW busy AS
SELECT shop FROM owed JOIN (SELECT avg(pieces) AS mean FROM owed) AS of_all ON pieces > mean;
SELECT id FROM orders WHERE shop IN (SELECT shop FROM busy) AND mz_now() < due;
