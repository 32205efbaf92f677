-- Orders by their status, live: totals of a table whose changes Debezium has captured into files.
CREATE SOURCE orders (id BIGINT, status STRING, cents BIGINT, PRIMARY KEY (id))
USING json OPTIONS (path 'orders')
FORMAT DEBEZIUM ENCODE JSON;

SELECT status, count(*) AS orders, sum(cents) / 100 AS total FROM orders GROUP BY status;
