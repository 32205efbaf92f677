-- max_by() and min_by() with a number of values, and modifiers that change nothing.
CREATE SOURCE readings (id INT, x STRING, a INT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'readings');

SELECT id, max_by(x, a, 3) AS best, min_by(DISTINCT x, a, 2) AS least, min_by(DISTINCT x, a) AS first,
  any_value(x, true) AS some, any_value(x) FILTER (WHERE a > 1) IGNORE NULLS AS large
FROM readings GROUP BY id;
