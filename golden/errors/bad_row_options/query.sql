-- Options of bad rows that mean nothing.
CREATE SOURCE a (id INT) USING json OPTIONS (path 'a', badRows 'ignore');
CREATE SOURCE b (id INT) USING csv OPTIONS (path 'b', maxBadRows '-1');
SELECT id FROM a UNION ALL SELECT id FROM b;
