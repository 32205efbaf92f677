-- FORMAT and ENCODE have few names each, and OPTIONS say the same once
CREATE SOURCE orders (id BIGINT) USING kafka OPTIONS (subscribe 'orders', kafka.bootstrap.servers 'broker:9092')
FORMAT PLAIN ENCODE JASON;
CREATE SOURCE more (id BIGINT) USING kafka
OPTIONS (subscribe 'orders', kafka.bootstrap.servers 'broker:9092', encode 'json') FORMAT PLAIN ENCODE JSON;
SELECT id FROM orders;
