-- What conditions do not compute of several rows, and measures not at all.
CREATE SOURCE ticks (
  k STRING, ts TIMESTAMP, n INT, price DECIMAL(10, 2), WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'ticks');
SELECT * FROM ticks MATCH_RECOGNIZE (
  ORDER BY ts MEASURES a.n AS n PATTERN (a b) WITHIN INTERVAL 1 HOUR
  DEFINE b AS concat(a.k, b.k) = 'xy'
);
SELECT * FROM ticks MATCH_RECOGNIZE (
  ORDER BY ts MEASURES median(a.n) AS n PATTERN (a b) WITHIN INTERVAL 1 HOUR
);
