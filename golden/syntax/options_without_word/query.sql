-- the word OPTIONS is missing
CREATE SINK report USING parquet (path 'out') AS SELECT 1;
