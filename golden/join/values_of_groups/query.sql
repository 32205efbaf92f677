-- Values of streams beside groups: a count of nothing is 0, and a total of everything is always there.
CREATE SOURCE orders (id BIGINT, customer STRING, amount INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
CREATE SOURCE returns (id BIGINT, customer STRING, amount INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'returns');
SELECT customer, sum(amount) AS ordered,
  (SELECT count(*) FROM returns AS r WHERE r.customer = o.customer) AS returned
FROM orders AS o
GROUP BY customer
HAVING sum(amount) > (SELECT sum(amount) / 100 FROM orders);
