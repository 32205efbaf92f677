-- AFTER MATCH SKIP TO a row that may be the first one of the match.
CREATE SOURCE ticks (
  k STRING, ts TIMESTAMP, n INT, price DECIMAL(10, 2), WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'ticks');
SELECT * FROM ticks MATCH_RECOGNIZE (
  ORDER BY ts MEASURES a.n AS n AFTER MATCH SKIP TO LAST a PATTERN (a+ b) WITHIN INTERVAL 1 HOUR
  DEFINE b AS b.price > a.price
);
