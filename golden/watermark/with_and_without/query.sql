-- A source with a watermark and without one in one query.
CREATE SOURCE raw (id BIGINT, body STRING, ms BIGINT) USING json OPTIONS (path 'raw');

SELECT id FROM raw
UNION ALL
SELECT id FROM WATERMARK(raw, ms, ms);
