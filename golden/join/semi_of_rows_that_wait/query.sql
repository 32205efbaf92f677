-- A row with a partner that waits comes when that may count at the latest; with one that does not, once it is past.
CREATE SOURCE a (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING json OPTIONS (path 'a');
CREATE SOURCE b (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING json OPTIONS (path 'b');
CREATE VIEW settled AS SELECT * FROM b WHERE ts + INTERVAL 10 SECONDS <= WATERMARK_TS();
CREATE SINK waits USING json OPTIONS (path 'waits') AS SELECT a.id FROM a LEFT SEMI JOIN settled AS b
  ON a.id = b.id AND b.ts BETWEEN a.ts - INTERVAL 5 SECONDS AND a.ts + INTERVAL 1 SECOND EMIT ON WINDOW CLOSE;
CREATE SINK is_past USING json OPTIONS (path 'is_past') AS SELECT a.id FROM a LEFT SEMI JOIN b
  ON a.id = b.id AND b.ts BETWEEN a.ts - INTERVAL 5 SECONDS AND a.ts + INTERVAL 1 SECOND EMIT ON WINDOW CLOSE;
