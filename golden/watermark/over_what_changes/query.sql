-- A watermark does not follow rows that come and go: what takes them back would be late.
CREATE SOURCE e (k STRING, ts TIMESTAMP) USING json OPTIONS (path 'e');

SELECT k, ts FROM WATERMARK((SELECT k, max(ts) AS ts FROM e GROUP BY k), ts, ts);
