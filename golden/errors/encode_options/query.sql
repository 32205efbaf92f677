-- What an ENCODE is told and needs
CREATE SOURCE a (id BIGINT) USING kafka OPTIONS (topic 'a', kafka.bootstrap.servers 'broker:9092') FORMAT PLAIN ENCODE AVRO;
CREATE SOURCE b (id BIGINT) USING kafka OPTIONS (topic 'b', kafka.bootstrap.servers 'broker:9092')
FORMAT PLAIN ENCODE AVRO (schema.registri = 'http://registry:8081', schema.registry.password = 'geheim');
CREATE SOURCE c (id BIGINT, name STRING) USING kafka OPTIONS (topic 'c', kafka.bootstrap.servers 'broker:9092') FORMAT PLAIN ENCODE BYTES;
CREATE SOURCE d (id BIGINT) USING kafka OPTIONS (topic 'd', kafka.bootstrap.servers 'broker:9092') FORMAT PLAIN ENCODE BYTES (sep = ',');
SELECT id FROM a;
