-- ORDER BY without LIMIT: rows that come one after the other are in no order.
CREATE SOURCE orders (id BIGINT, customer STRING, ts TIMESTAMP) USING parquet OPTIONS (path 'orders');
SELECT customer, count(*) AS n FROM orders GROUP BY customer ORDER BY n DESC;
