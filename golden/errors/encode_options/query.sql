-- What an ENCODE is told and needs
CREATE SOURCE a (id BIGINT) USING kafka OPTIONS (topic 'a', kafka.bootstrap.servers 'broker:9092') FORMAT PLAIN ENCODE AVRO;
CREATE SOURCE b (id BIGINT) USING kafka OPTIONS (topic 'b', kafka.bootstrap.servers 'broker:9092')
FORMAT PLAIN ENCODE AVRO (schema.registri = 'http://registry:8081', schema.registry.password = 'geheim');
CREATE SOURCE c (id BIGINT, name STRING) USING kafka OPTIONS (topic 'c', kafka.bootstrap.servers 'broker:9092') FORMAT PLAIN ENCODE BYTES;
CREATE SOURCE d (id BIGINT) USING kafka OPTIONS (topic 'd', kafka.bootstrap.servers 'broker:9092') FORMAT PLAIN ENCODE BYTES (sep = ',');
CREATE SOURCE e (id BIGINT) USING kafka OPTIONS (topic 'e', kafka.bootstrap.servers 'broker:9092') FORMAT PLAIN ENCODE PROTOBUF (message = 'shop.Order');
CREATE SOURCE f (id BIGINT) USING kafka OPTIONS (topic 'f', kafka.bootstrap.servers 'broker:9092')
FORMAT PLAIN ENCODE PROTOBUF (message = 'shop.Order', schema = 'order.desc');
CREATE SINK g USING kafka OPTIONS (topic 'g', kafka.bootstrap.servers 'broker:9092') FORMAT DEBEZIUM ENCODE CSV AS SELECT id FROM a;
SELECT id FROM a;
