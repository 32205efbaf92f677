-- A window function over rows that wait for the row that follows them.
CREATE SOURCE readings (k INT, v INT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'readings');
CREATE VIEW pairs AS
SELECT k, ts, v, lead(v) OVER (PARTITION BY k ORDER BY ts) AS following FROM readings
EMIT ON WINDOW CLOSE;
CREATE SINK by_time USING parquet OPTIONS (path 'by_time') AS
SELECT k, sum(following) OVER (PARTITION BY k ORDER BY ts ROWS 3 PRECEDING) AS s FROM pairs
EMIT ON WINDOW CLOSE;
CREATE SINK by_window USING parquet OPTIONS (path 'by_window') AS
SELECT k, rank() OVER (PARTITION BY window_start ORDER BY following) AS place
FROM TUMBLE(pairs, ts, INTERVAL 10 SECONDS)
EMIT ON WINDOW CLOSE;
