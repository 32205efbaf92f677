-- Spark's spelling with an expression adds a column.
CREATE SOURCE raw (id BIGINT, body STRING, ms BIGINT) USING json OPTIONS (path 'raw');

SELECT id, ts FROM raw WATERMARK timestamp_millis(ms) AS ts DELAY OF INTERVAL '10 seconds' AS r;
