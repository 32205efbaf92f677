-- A star with EXCEPT is a list of columns: Spark counts the rows in which none of them is NULL.
CREATE SOURCE t (id INT, v INT, st STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING json OPTIONS (path 'in');
CREATE SINK a USING json OPTIONS (path 'a', mode 'changelog') AS SELECT count(* EXCEPT (st)) AS m FROM t;
CREATE SINK b USING json OPTIONS (path 'b') AS
SELECT window_start, count(* EXCEPT (st)) AS m FROM TUMBLE(t, ts, INTERVAL 1 MINUTE)
GROUP BY window_start EMIT ON WINDOW CLOSE;
SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY id ORDER BY ts MEASURES count(* EXCEPT (v)) AS n
  PATTERN (a b) DEFINE b AS v > 1) AS m;
