-- Column and strategy may be qualified by the relation inside.
CREATE SOURCE raw (id BIGINT, body STRING, ms BIGINT) USING json OPTIONS (path 'raw');

SELECT w.id FROM WATERMARK((SELECT id, timestamp_millis(ms) AS ts FROM raw) AS r, r.ts, r.ts) AS w;
