-- A total of another stream in a condition: worked out once for each customer, joined to the rows that ask.
CREATE SOURCE orders (id BIGINT, customer STRING, amount INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
CREATE SOURCE returns (id BIGINT, customer STRING, amount INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'returns');
SELECT id, amount FROM orders AS o
WHERE mz_now() <= ts + INTERVAL 1 DAY
  AND amount > 2 * (SELECT avg(amount) FROM returns AS r WHERE r.customer = o.customer);
