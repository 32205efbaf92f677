-- A source without columns has those of its schema
CREATE SOURCE a USING kafka OPTIONS (topic 'a', kafka.bootstrap.servers 'broker:9092') FORMAT PLAIN ENCODE AVRO (schema = '{"type": "string"}');
CREATE SOURCE b USING kafka OPTIONS (topic 'b,c', kafka.bootstrap.servers 'broker:9092') FORMAT PLAIN ENCODE AVRO (schema.registry = 'http://registry:8081');
CREATE SOURCE c USING kafka OPTIONS (topic 'c', kafka.bootstrap.servers 'broker:9092')
FORMAT PLAIN ENCODE AVRO (schema = '{"type": "record", "name": "c", "fields": [{"name": "next", "type": ["null", "c"]}]}');
SELECT id FROM a;
