-- Rows of a source of changes are never final, and never late.
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, PRIMARY KEY (id))
USING json OPTIONS (path 'orders') FORMAT UPSERT ENCODE JSON;
CREATE SINK one USING json OPTIONS (path 'one') AS SELECT ts, count(*) AS n FROM orders GROUP BY ts EMIT ON WINDOW CLOSE;
CREATE SINK two USING json OPTIONS (path 'two') AS SELECT * FROM LATE(orders);
CREATE SINK three USING json OPTIONS (path 'three') AS SELECT id, PROC_TIME() AS at FROM orders;
CREATE SINK four USING json OPTIONS (path 'four') AS SELECT id FROM orders WHERE ts <= WATERMARK_TS();
