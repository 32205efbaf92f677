-- Large orders without a payment within an hour, and all small ones: small ones look for none.
CREATE SOURCE orders (id BIGINT, price DOUBLE, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE)
USING parquet OPTIONS (path 'orders');
CREATE SOURCE payments (order_id BIGINT, paid DOUBLE, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE)
USING parquet OPTIONS (path 'payments');
SELECT o.id, p.paid
FROM orders AS o LEFT JOIN payments AS p
  ON o.id = p.order_id AND o.price > 100 AND p.ts BETWEEN o.ts AND o.ts + INTERVAL 1 HOUR
EMIT ON WINDOW CLOSE;
