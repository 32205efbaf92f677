-- Sinks that write where a source reads: below it, by a pattern, in the folder of the query; those beside are fine.
CREATE SOURCE a (id INT) USING json OPTIONS (path './data/in/');
CREATE SOURCE b (id INT) USING csv OPTIONS (path 'logs/*');
CREATE SINK one USING json OPTIONS (path 'data/in/../in/out') AS SELECT id FROM a;
CREATE SINK two USING json OPTIONS (path 'logs/2024/out') AS SELECT id FROM b;
CREATE SINK three USING json OPTIONS (path 'data/in2') AS SELECT id FROM a;
CREATE SINK four USING json OPTIONS (path 'data/in/_out') AS SELECT id FROM a;
CREATE SINK five USING json OPTIONS (path 'logs2/x') AS SELECT id FROM b;
