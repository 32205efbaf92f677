-- FORMAT and ENCODE are of Kafka's records
CREATE SOURCE orders (id BIGINT) USING json OPTIONS (path 'orders') FORMAT PLAIN ENCODE JSON;
SELECT id FROM orders;
