-- How many orders of a customer came before each one: joined with what the rows ask about, once for each such value.
CREATE SOURCE orders (id BIGINT, customer STRING, amount INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
SELECT id, (SELECT count(*) FROM orders AS e WHERE e.customer = o.customer AND e.ts < o.ts) AS before
FROM orders AS o
WHERE mz_now() <= ts + INTERVAL 1 DAY;
