-- Nothing that is written in a call is passed over: arguments and modifiers are those that Spark knows.
CREATE SOURCE readings (id INT, x STRING, a INT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'readings');

CREATE VIEW a AS SELECT id, count(*, x) AS n FROM readings GROUP BY id;
CREATE VIEW b AS SELECT id, sum(a, 2) AS n FROM readings GROUP BY id;
CREATE VIEW c AS SELECT id, max_by(x, a, id) AS n FROM readings GROUP BY id;
CREATE VIEW d AS SELECT id, sum(a) IGNORE NULLS AS n FROM readings GROUP BY id;
CREATE VIEW e AS SELECT id, avg(a) WITHIN GROUP (ORDER BY x) AS n FROM readings GROUP BY id;
CREATE VIEW f AS SELECT window_start, stddev(a, 1) AS n
  FROM TUMBLE(readings, ts, INTERVAL 1 HOUR) GROUP BY window_start EMIT ON WINDOW CLOSE;
SELECT id, substring(x) AS y FROM readings;
