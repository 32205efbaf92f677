-- The late rows of a relation that got its watermark in FROM.
CREATE SOURCE raw (id BIGINT, body STRING, ms BIGINT) USING json OPTIONS (path 'raw');
CREATE VIEW timed AS
SELECT * FROM WATERMARK((SELECT id, timestamp_millis(ms) AS ts FROM raw), ts, ts);

SELECT id, ts FROM timed
UNION ALL
SELECT id, _watermark FROM LATE(timed);
