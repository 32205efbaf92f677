-- Statements with no semicolon between them.
CREATE SOURCE orders (id BIGINT) USING parquet OPTIONS (path 'orders')
CREATE SINK a USING parquet OPTIONS (path 'a') AS SELECT id FROM orders;
CREATE SINK b USING parquet OPTIONS (path 'b') AS SELECT id FROM orders
CREATE SINK c USING parquet OPTIONS (path 'c') AS SELECT -id FROM orders;
INSERT INTO a SELECT id FROM orders WHERE id > 1
INSERT INTO b SELECT id FROM orders;
