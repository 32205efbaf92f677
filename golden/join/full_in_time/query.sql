-- Orders and payments, in pairs if they are within an hour of each other, and those alone that have none.
CREATE SOURCE orders (id INT, price INT, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 10 SECONDS)
USING parquet OPTIONS (path 'in/orders');

CREATE SOURCE payments (id INT, paid INT, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 10 SECONDS)
USING parquet OPTIONS (path 'in/payments');

CREATE SINK compared USING parquet OPTIONS (path 'out') AS
SELECT coalesce(o.id, p.id) AS id, o.price, p.paid
FROM orders o
FULL JOIN payments p ON o.id = p.id AND o.price > 0 AND p.paid > 0
  AND p.ts BETWEEN o.ts - INTERVAL 1 HOUR AND o.ts + INTERVAL 1 HOUR
EMIT ON WINDOW CLOSE;
