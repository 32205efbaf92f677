-- What each warehouse still owes its shops beside what they have room for, both as they change.
CREATE SOURCE orders (shop STRING, pieces INT, due TIMESTAMP) USING parquet OPTIONS (path 'orders');
CREATE SOURCE shelves (shop STRING, room INT, until TIMESTAMP)
USING parquet OPTIONS (path 'shelves');
CREATE VIEW owed AS
SELECT shop, sum(pieces) AS pieces FROM orders WHERE mz_now() < due GROUP BY shop;
CREATE VIEW free AS
SELECT shop, sum(room) AS room FROM shelves WHERE mz_now() < until GROUP BY shop;
SELECT owed.shop, pieces, coalesce(room, 0) AS room
FROM owed LEFT JOIN free ON owed.shop = free.shop;
