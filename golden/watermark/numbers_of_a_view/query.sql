-- A time in milliseconds that a view computes: rows with a number that is no time are counted, and go nowhere.
CREATE SOURCE raw (id BIGINT, body STRING) USING json OPTIONS (path 'raw');
CREATE VIEW parsed AS SELECT id, CAST(body AS BIGINT) AS ms FROM raw;

SELECT id FROM WATERMARK(parsed, ms, ms - 10000) WHERE ms <= WATERMARK_TS();
