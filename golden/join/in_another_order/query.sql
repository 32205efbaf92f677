-- No two streams side by side have anything in common: the last one ties them, and comes second.
CREATE SOURCE orders (id BIGINT, customer BIGINT) USING parquet OPTIONS (path 'orders');
CREATE SOURCE stock (sku STRING, held INT) USING parquet OPTIONS (path 'stock');
CREATE SOURCE lines (order_id BIGINT, sku STRING, pieces INT) USING parquet OPTIONS (path 'lines');
CREATE TABLE customers (id BIGINT, name STRING) USING parquet OPTIONS (path 'customers');
SELECT *
FROM orders o CROSS JOIN stock s, lines l, customers c
WHERE o.id = l.order_id AND l.sku = s.sku AND pieces <= held AND c.id = o.customer;
