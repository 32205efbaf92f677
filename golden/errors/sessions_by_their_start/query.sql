-- Sessions of all keys that begin together, and windows of a length that is none.
CREATE SOURCE e (k STRING, v INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING json OPTIONS (path 'x');
CREATE SINK starts USING console AS
  SELECT window_start, count(*) AS n FROM SESSION(e, ts, k, INTERVAL 3 SECONDS) GROUP BY window_start EMIT ON WINDOW CLOSE;
CREATE SINK months USING console AS
  SELECT window_end, count(*) AS n FROM HOP(e, ts, INTERVAL 1 DAY, INTERVAL 1 MONTH) GROUP BY window_end EMIT ON WINDOW CLOSE;
