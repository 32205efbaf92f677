-- Changes in Avro are read by a registry; some options and forms have no place there.
CREATE SOURCE a (id BIGINT, PRIMARY KEY (id)) USING kafka OPTIONS (topic 'a', kafka.bootstrap.servers 'broker:9092')
FORMAT DEBEZIUM ENCODE AVRO;
CREATE SOURCE b (id BIGINT, PRIMARY KEY (id)) USING kafka OPTIONS (topic 'b', kafka.bootstrap.servers 'broker:9092')
FORMAT UPSERT ENCODE AVRO (schema.registry = 'http://registry:8081', decimal.handling.mode = 'string');
CREATE SOURCE c (id BIGINT, PRIMARY KEY (id)) USING kafka OPTIONS (topic 'c', kafka.bootstrap.servers 'broker:9092')
FORMAT MAXWELL ENCODE AVRO (schema.registry = 'http://registry:8081');
CREATE SOURCE d USING kafka OPTIONS (topic 'd', kafka.bootstrap.servers 'broker:9092')
FORMAT DEBEZIUM ENCODE AVRO (schema.registry = 'http://registry:8081');
SELECT id FROM a;
