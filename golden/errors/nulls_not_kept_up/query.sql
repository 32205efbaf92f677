-- Collecting NULLs, too, and first values are not kept up as rows come and go.
CREATE SOURCE readings (id INT, x STRING, a INT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'readings');

CREATE VIEW a AS SELECT id, array_agg(x) RESPECT NULLS AS n FROM readings GROUP BY id;
CREATE VIEW c AS SELECT id, last(x) IGNORE NULLS AS n FROM readings GROUP BY id;
SELECT id, first(x, true) AS n FROM readings GROUP BY id;
