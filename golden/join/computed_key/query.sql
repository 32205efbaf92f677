-- A computed key may be NULL where its columns are not, and NULL is equal to nothing.
CREATE SOURCE clicks (id BIGINT, user STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE)
USING parquet OPTIONS (path 'clicks');
CREATE SOURCE views (id BIGINT, user STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE)
USING parquet OPTIONS (path 'views');
SELECT c.id, v.id AS view
FROM clicks AS c JOIN views AS v
  ON nullif(c.user, 'anonymous') = nullif(v.user, 'anonymous')
  AND v.ts BETWEEN c.ts - INTERVAL 10 MINUTES AND c.ts;
