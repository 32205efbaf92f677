-- Spark's partitions of a table
CREATE SINK report USING parquet OPTIONS (path 'out') PARTITIONED BY (day) AS SELECT id, day FROM orders;
