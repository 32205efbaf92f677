-- Functions that put values in order, or collect each once, take no maps, nor what has maps in it.
CREATE SOURCE s (k INT, m MAP<STRING, INT>, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 's');
CREATE SINK closed USING parquet OPTIONS (path 'closed') AS
SELECT window_start, max(m) AS most, collect_set(array(m)) AS each, max_by(k, m) AS k
FROM TUMBLE(s, ts, INTERVAL 10 SECONDS) GROUP BY window_start EMIT ON WINDOW CLOSE;
CREATE SINK running USING parquet OPTIONS (path 'running') AS
SELECT k, min(m) AS least, collect_list(m) AS of_any_type FROM s GROUP BY k;
CREATE SINK over USING parquet OPTIONS (path 'over') AS
SELECT k, max(named_struct('m', m)) OVER (PARTITION BY k ORDER BY ts) AS most, greatest(m, m) AS g
FROM s EMIT ON WINDOW CLOSE;
