-- WATERMARK over a view follows a column that the view computes.
CREATE SOURCE raw (id BIGINT, body STRING, ms BIGINT) USING json OPTIONS (path 'raw');
CREATE VIEW parsed AS SELECT id, timestamp_millis(ms) AS ts FROM raw WHERE body IS NOT NULL;

SELECT id FROM WATERMARK(parsed, ts, ts - INTERVAL 10 SECONDS) WHERE ts <= WATERMARK_TS();
