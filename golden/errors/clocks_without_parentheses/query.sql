-- Clocks and late rows as they are nearly written, and DISTINCT twice.
CREATE SOURCE orders (id INT, k STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'orders');

CREATE VIEW a AS SELECT id FROM orders WHERE ts <= WATERMARK;
CREATE VIEW b AS SELECT id FROM orders WHERE ts <= CURRENT_WATERMARK(ts);
CREATE VIEW c AS SELECT * FROM LATE orders;
CREATE VIEW d AS SELECT DISTINCT id, DISTINCT k FROM orders;
CREATE VIEW e AS SELECT id FROM orders WITH (connector = 'kafka');
SELECT count(*) AS n FROM orders GROUP BY HOP(ts, INTERVAL 1 MINUTE, INTERVAL 1 HOUR) EMIT ON WINDOW CLOSE;
