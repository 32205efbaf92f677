-- Where sources of changes cannot be read from, and options that they have not.
CREATE TABLE a (id BIGINT, PRIMARY KEY (id)) USING json OPTIONS (path 'a') FORMAT UPSERT ENCODE JSON;
CREATE SOURCE b (id BIGINT, PRIMARY KEY (id)) USING parquet OPTIONS (path 'b') FORMAT DEBEZIUM ENCODE JSON;
CREATE SOURCE c (id BIGINT, PRIMARY KEY (id)) USING json OPTIONS (path 'c') FORMAT DEBEZIUM ENCODE AVRO;
CREATE SOURCE d (id BIGINT, PRIMARY KEY (id)) USING json OPTIONS (path 'd') FORMAT DEBEZIUM ENCODE JSON (before.image = 'whole');
CREATE SOURCE e (id BIGINT, PRIMARY KEY (id)) USING json OPTIONS (path 'e') FORMAT DEBEZIUM ENCODE JSON (timestamp.handling.mode = 'guess');
CREATE SOURCE f (id BIGINT, _diff INT) USING json OPTIONS (path 'f') FORMAT CHANGELOG ENCODE JSON;
CREATE SOURCE g (id BIGINT) INCLUDE timestamp USING kafka OPTIONS (topic 'g', kafka.bootstrap.servers 'b:9092') FORMAT DEBEZIUM ENCODE JSON (before.images = 'whole');
CREATE SOURCE h (id BIGINT, PRIMARY KEY (id)) USING json OPTIONS (path 'h', latestFirst 'true') FORMAT UPSERT ENCODE JSON;
CREATE SOURCE i (id BIGINT) INCLUDE offset USING kafka OPTIONS (topic 'i', kafka.bootstrap.servers 'b:9092') FORMAT CHANGELOG ENCODE JSON;
CREATE SOURCE j (id BIGINT, PRIMARY KEY (id)) USING json OPTIONS (path 'j') FORMAT DEBEZIUM ENCODE JSON (unavailable.value.placeholder = '');
SELECT id FROM b;
