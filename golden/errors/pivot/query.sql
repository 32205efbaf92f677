-- What PIVOT and UNPIVOT do not take.
CREATE SOURCE orders (id BIGINT, shop STRING, amount INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
CREATE SINK bare USING json OPTIONS (path 'bare', mode 'changelog') AS
SELECT * FROM orders PIVOT (amount FOR shop IN ('north'));
CREATE SINK columns USING json OPTIONS (path 'columns', mode 'changelog') AS
SELECT * FROM orders PIVOT (sum(amount) FOR shop IN (id));
CREATE SINK unnamed USING json OPTIONS (path 'unnamed', mode 'changelog') AS
SELECT * FROM orders PIVOT (sum(amount) / 2, max(amount) FOR shop IN ('north'));
CREATE SINK filtered USING json OPTIONS (path 'filtered', mode 'changelog') AS
SELECT * FROM orders PIVOT (sum(amount) FILTER (WHERE id > 3) FOR shop IN ('north'));
SELECT * FROM (SELECT id, shop, amount FROM orders) PIVOT (sum(amount) FOR shop IN ('north')) EMIT ON WINDOW CLOSE;
