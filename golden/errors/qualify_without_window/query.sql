-- QUALIFY looks at window functions; without one, Spark refuses it as well.
CREATE SOURCE s (a INT, b INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'x');
SELECT a FROM (SELECT a, row_number() OVER (PARTITION BY b ORDER BY ts) AS n FROM s) QUALIFY n = 1;
