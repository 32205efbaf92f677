-- Orders for which no payment came within an hour, each as soon as that is certain.
CREATE SOURCE orders (id INT, price INT, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 10 SECONDS)
USING parquet OPTIONS (path 'in/orders');

CREATE SOURCE payments (id INT, price INT, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 10 SECONDS)
USING parquet OPTIONS (path 'in/payments');

CREATE SINK unpaid USING parquet OPTIONS (path 'out') AS
SELECT id, price, ts
FROM orders o
WHERE price > 0 AND NOT EXISTS (
  SELECT 1 FROM payments WHERE id = o.id AND ts BETWEEN o.ts AND o.ts + INTERVAL 1 HOUR
)
EMIT ON WINDOW CLOSE;
