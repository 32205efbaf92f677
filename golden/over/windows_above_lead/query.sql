-- Rows wait for the one that follows them; a minute of them is whole when none of its rows waits.
CREATE SOURCE visits (ts TIMESTAMP, user STRING, page STRING, WATERMARK FOR ts AS ts - INTERVAL 5 SECONDS) USING parquet OPTIONS (path 'visits');
CREATE VIEW steps AS SELECT ts, page, lead(page) OVER (PARTITION BY user ORDER BY ts) AS next FROM visits EMIT ON WINDOW CLOSE;
SELECT window_start, page, next, count(*) AS n FROM TUMBLE(steps, ts, INTERVAL 1 MINUTE)
GROUP BY window_start, page, next EMIT ON WINDOW CLOSE;
