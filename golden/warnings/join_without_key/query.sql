-- Nothing is equal: each row is compared with every other.
CREATE SOURCE orders (id BIGINT, customer STRING, amount INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
CREATE SOURCE returns (id BIGINT, customer STRING, amount INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'returns');
SELECT o.id, r.id AS returned FROM orders AS o JOIN returns AS r ON o.amount < r.amount
WHERE mz_now() <= o.ts + INTERVAL 1 HOUR AND mz_now() <= r.ts + INTERVAL 1 HOUR;
