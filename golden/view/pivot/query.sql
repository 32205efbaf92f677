-- PIVOT of rows that come: groups that change, with columns for each value.
CREATE SOURCE orders (day DATE, shop STRING, amount INT) USING parquet OPTIONS (path 'orders');
SELECT * FROM orders PIVOT (sum(amount) AS total, count(*) AS n FOR shop IN ('north', 'south' AS s));
