-- PROC_TIME() in a strategy: a view hands the arrival of its rows on.
CREATE SOURCE raw (id BIGINT, body STRING, ms BIGINT) USING json OPTIONS (path 'raw');
CREATE VIEW timed AS SELECT id, timestamp_millis(ms) AS ts FROM raw;

SELECT id FROM WATERMARK(timed, ts, CASE WHEN ts <= PROC_TIME() THEN ts END);
