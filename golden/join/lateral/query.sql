-- The last three clicks of each user who is there: the first rows of each key, joined.
CREATE SOURCE users (id BIGINT, name STRING, seen TIMESTAMP) USING parquet OPTIONS (path 'users');
CREATE SOURCE clicks (user BIGINT, url STRING, ts TIMESTAMP) USING parquet OPTIONS (path 'clicks');
SELECT u.name, last.url, last.ts
FROM users AS u,
  LATERAL (SELECT url, ts FROM clicks WHERE clicks.user = u.id ORDER BY ts DESC LIMIT 3) AS last
WHERE mz_now() < seen + INTERVAL 5 MINUTES;
