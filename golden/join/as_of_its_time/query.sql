-- Orders in euros, by the rate of their time, as it stands: a rate that comes late corrects them.
CREATE SOURCE orders (id BIGINT, amount DECIMAL(10, 2), currency STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'in/orders');

CREATE SOURCE rates (currency STRING, rate DECIMAL(10, 4), ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 HOUR)
USING json OPTIONS (path 'in/rates');

SELECT o.id, o.amount * r.rate AS euros
FROM orders AS o
JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON r.currency = o.currency;
