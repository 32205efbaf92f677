-- The clock of a stream in a subquery does not judge the rows of a table outside of it.
CREATE SOURCE ev (dev STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING json OPTIONS (path 'ev');
CREATE TABLE devices (dev STRING, since TIMESTAMP) USING csv OPTIONS (path 'devices');
SELECT d.dev FROM devices AS d WHERE d.since + INTERVAL 5 SECONDS <= WATERMARK_TS()
  AND NOT EXISTS (SELECT 1 FROM ev AS e WHERE e.dev = d.dev AND WATERMARK_TS() < e.ts + INTERVAL 5 SECONDS);
