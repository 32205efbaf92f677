-- Totals of a table whose changes are captured: the job keeps the last row of each key.
CREATE SOURCE orders (id BIGINT, status STRING, amount DECIMAL(10, 2), PRIMARY KEY (id))
USING kafka OPTIONS (topic 'shop.public.orders', kafka.bootstrap.servers 'broker:9092')
FORMAT DEBEZIUM ENCODE JSON (timestamp.handling.mode = 'micro');

CREATE SINK live USING sqlite OPTIONS (path 'live.db', key 'status') AS
SELECT status, count(*) AS n, sum(amount) AS total FROM orders GROUP BY status;
