-- Closed windows without an answer within a minute of their end: rows of groups are not held, partners are.
CREATE SOURCE asked (k STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING json OPTIONS (path 'asked');
CREATE SOURCE answers (k STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING json OPTIONS (path 'answers');

SELECT w.k, w.n
FROM (
  SELECT k, window_end, count(*) AS n FROM TUMBLE(asked, ts, INTERVAL 5 MINUTES)
  GROUP BY window_start, window_end, k
) AS w
LEFT ANTI JOIN answers AS r
  ON r.k = w.k AND r.ts BETWEEN w.window_end AND w.window_end + INTERVAL 1 MINUTE
EMIT ON WINDOW CLOSE;
