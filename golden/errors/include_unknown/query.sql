-- INCLUDE names what a record of Kafka has, under a name that no field has
CREATE SOURCE orders (id BIGINT, topic STRING) INCLUDE time AS ts, topic
USING kafka OPTIONS (subscribe 'orders', kafka.bootstrap.servers 'broker:9092');
CREATE SOURCE files (id BIGINT) INCLUDE key USING json OPTIONS (path 'files');
SELECT id FROM orders;
