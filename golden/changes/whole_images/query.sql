-- Records that say what rows were need no state of the source, and join with a stream on a clock.
CREATE SOURCE customers (id BIGINT, name STRING)
USING json OPTIONS (path 'customers') FORMAT MAXWELL ENCODE JSON (before.images = 'whole', table.name = 'shop.customers');
CREATE SOURCE clicks (customer BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'clicks');

SELECT c.name, k.ts FROM clicks AS k JOIN customers AS c ON c.id = k.customer
WHERE WATERMARK_TS() < k.ts + INTERVAL 1 HOUR;
