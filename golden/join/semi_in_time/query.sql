-- Orders that were paid within an hour, counted by the minute.
CREATE SOURCE orders (id INT, price INT, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 10 SECONDS)
USING parquet OPTIONS (path 'in/orders');

CREATE SOURCE payments (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 10 SECONDS)
USING parquet OPTIONS (path 'in/payments');

CREATE SINK paid USING parquet OPTIONS (path 'out') AS
SELECT window(o.ts, '1 minute').start AS minute, count(*) AS orders, sum(o.price) AS total
FROM orders o
LEFT SEMI JOIN payments p ON o.id = p.id AND p.ts BETWEEN o.ts AND o.ts + INTERVAL 1 HOUR
GROUP BY 1
EMIT ON WINDOW CLOSE;
