-- options stand in parentheses
CREATE SINK report USING parquet OPTIONS path 'out' AS SELECT 1;
