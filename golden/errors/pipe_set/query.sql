-- |> SET takes columns that are there, each once.
CREATE SOURCE s (a INT, b INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'x');
FROM s |> SET a = b + 1, b = a, c = 3 |> SELECT a;
