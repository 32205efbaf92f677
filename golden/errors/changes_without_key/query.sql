-- Records of UPSERT and DEBEZIUM are told apart by a key.
CREATE SOURCE orders (id BIGINT) USING kafka OPTIONS (topic 'orders', kafka.bootstrap.servers 'b:9092') FORMAT DEBEZIUM ENCODE JSON;
CREATE SOURCE stock (id BIGINT) USING kafka OPTIONS (topic 'stock', kafka.bootstrap.servers 'b:9092') FORMAT UPSERT ENCODE JSON;
SELECT id FROM orders UNION ALL SELECT id FROM stock;
