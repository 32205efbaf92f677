-- Faults in several statements, all in one run.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE VIEW a AS SELECT idd FROM orders;
CREATE VIEW b AS SELECT id FROM ordersx WHERE mz_now() > foo;
SELECT id FROM orders GROUP BY id;
