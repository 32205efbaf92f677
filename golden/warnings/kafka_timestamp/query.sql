-- A field called as a part of the record is one of the value nevertheless
CREATE SOURCE orders (id BIGINT, timestamp TIMESTAMP, topic INT) USING kafka
OPTIONS (subscribe 'orders', kafka.bootstrap.servers 'broker:9092');
SELECT id, timestamp FROM orders;
