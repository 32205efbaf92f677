-- The first row of each key: a filter on the number, in QUALIFY.
CREATE SOURCE signups (email STRING, ts TIMESTAMP, via STRING, WATERMARK FOR ts AS ts - INTERVAL 10 SECONDS)
USING parquet OPTIONS (path 'signups');
SELECT email, via, row_number() OVER (PARTITION BY email ORDER BY ts) AS place
FROM signups QUALIFY place = 1 EMIT ON WINDOW CLOSE;
