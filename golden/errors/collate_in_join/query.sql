-- Joins of streams that say by which collation their keys are equal.
CREATE SOURCE a (id INT, k STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'a');
CREATE SOURCE b (id INT, k STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'b');
CREATE SINK inner_one USING console AS
  SELECT a.id FROM a JOIN b ON a.k COLLATE UTF8_LCASE = b.k COLLATE UTF8_LCASE AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR;
CREATE SINK left_one USING console AS
  SELECT a.id, b.id AS other FROM a LEFT JOIN b ON (a.k COLLATE UTF8_LCASE) = b.k;
CREATE SINK semi USING console AS
  SELECT a.id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k COLLATE system.builtin.UNICODE_CI = a.k);
