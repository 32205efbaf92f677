-- A row that waits for the next one may be in windows that have closed, beside others that have left.
CREATE SOURCE visits (ts TIMESTAMP, user STRING, page STRING, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'visits');
CREATE VIEW steps AS SELECT ts, lead(page) OVER (PARTITION BY user ORDER BY ts) AS next FROM visits EMIT ON WINDOW CLOSE;
SELECT window_start, next, count(*) AS n FROM HOP(steps, ts, INTERVAL 1 MINUTE, INTERVAL 5 MINUTES)
GROUP BY window_start, next EMIT ON WINDOW CLOSE;
