-- A pattern that may go on for ever, without WITHIN.
CREATE SOURCE ticks (
  k STRING, ts TIMESTAMP, n INT, price DECIMAL(10, 2), WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'ticks');
SELECT * FROM ticks MATCH_RECOGNIZE (
  PARTITION BY k ORDER BY ts MEASURES count(*) AS n PATTERN (a b+) DEFINE b AS b.price > a.price
);
