-- NOT IN and EXISTS below OR: with SQL's NULL, whatever stands around them.
CREATE SOURCE orders (id BIGINT, customer STRING, amount INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
CREATE SOURCE returns (id BIGINT, customer STRING, amount INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'returns');
SELECT id FROM orders AS o
WHERE id NOT IN (SELECT id FROM returns)
   OR EXISTS (SELECT 1 FROM returns AS r WHERE r.customer = o.customer AND r.amount > 100);
