-- A watermark on an expression without a name.
CREATE SOURCE raw (id BIGINT, body STRING, ms BIGINT) USING json OPTIONS (path 'raw');

SELECT id FROM STREAM raw WATERMARK timestamp_millis(ms) DELAY OF INTERVAL 10 SECONDS;
