-- A condition of a variable that the pattern does not have.
CREATE SOURCE ticks (
  k STRING, ts TIMESTAMP, n INT, price DECIMAL(10, 2), WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'ticks');
SELECT * FROM ticks MATCH_RECOGNIZE (
  ORDER BY ts MEASURES a.n AS n PATTERN (a down) WITHIN INTERVAL 1 HOUR
  DEFINE dwon AS dwon.price < PREV(price)
);
