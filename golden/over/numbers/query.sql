-- row_number(), rank() and dense_rank() are counted by the runtime, which keeps one row of each key.
CREATE SOURCE finish (race INT, ts TIMESTAMP, bib INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'finish');
SELECT race, bib,
  row_number() OVER (PARTITION BY race ORDER BY ts, bib DESC) AS place,
  rank() OVER (PARTITION BY race ORDER BY ts) AS shared,
  dense_rank() OVER (PARTITION BY race ORDER BY ts) AS medal
FROM finish EMIT ON WINDOW CLOSE;
