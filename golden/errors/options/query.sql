-- Options whose names are nearly those that the format has.
CREATE SOURCE a (id BIGINT) USING csv OPTIONS (path 'a', haeder 'true');
CREATE SOURCE b (id BIGINT) USING json OPTIONS (path 'b', maxFilePerTrigger '1', badrow 'fail');
CREATE SOURCE c (value BINARY) USING kafka OPTIONS ('kafka.bootstrap.servers' 'h:1', subscrbe 't');
CREATE SOURCE d (value BINARY) WITH (connector = 'kafka', topic = 't', 'bootstrap.servers' = 'h:1');
CREATE SINK out USING sqlite OPTIONS (path 'out.db', tabel 'x', key 'id') AS SELECT id FROM a;
