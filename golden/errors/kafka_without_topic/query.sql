-- A Kafka source says which topics it reads and where, once; no message shows a password
CREATE SOURCE a (id BIGINT) USING kafka OPTIONS (kafka.bootstrap.servers 'broker:9092');
CREATE SOURCE b (id BIGINT) USING kafka OPTIONS (topic 'b', subscribePattern 'b.*', kafka.ssl.key.password 'geheim');
SELECT id FROM a;
