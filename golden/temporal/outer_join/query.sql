-- Orders of the last hour with their payments, and those that have none yet.
CREATE SOURCE orders (id BIGINT, customer BIGINT, ts TIMESTAMP) USING parquet OPTIONS (path 'orders');
CREATE SOURCE payments (order_id BIGINT, amount DECIMAL(12, 2))
USING parquet OPTIONS (path 'payments');
SELECT o.id, o.customer, p.amount
FROM (SELECT * FROM orders WHERE mz_now() < ts + INTERVAL 1 HOUR) AS o
LEFT JOIN payments AS p ON o.id = p.order_id AND p.amount > 0;
