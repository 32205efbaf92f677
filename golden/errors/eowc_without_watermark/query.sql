-- Nothing would ever release a row.
CREATE SOURCE plain (ts TIMESTAMP, id INT) USING parquet OPTIONS (path 'plain');
SELECT id FROM plain EMIT ON WINDOW CLOSE;
