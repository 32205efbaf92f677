-- Orders that no payment has followed within ten minutes: an alert, by the wall clock.
CREATE SOURCE orders (id BIGINT, customer STRING, ts TIMESTAMP) USING parquet OPTIONS (path 'orders');
CREATE SOURCE payments (order_id BIGINT, ts TIMESTAMP) USING parquet OPTIONS (path 'payments');
SELECT id, customer FROM orders AS o
WHERE o.ts + INTERVAL 10 MINUTES <= mz_now()
  AND NOT EXISTS (SELECT 1 FROM payments AS p
    WHERE p.order_id = o.id AND p.ts BETWEEN o.ts AND o.ts + INTERVAL 10 MINUTES);
