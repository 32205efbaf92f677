-- A price that falls and rises again within an hour: a row for each match, once it is final.
CREATE SOURCE ticks (
  k STRING, ts TIMESTAMP, n INT, price DECIMAL(10, 2), WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'ticks');
SELECT k, since, until, 100 * gain / top AS percent FROM ticks MATCH_RECOGNIZE (
  PARTITION BY k ORDER BY ts
  MEASURES a.ts AS since, LAST(up.ts) AS until, a.price AS top, LAST(up.price) - a.price AS gain
  PATTERN (a down+ up+) WITHIN INTERVAL 1 HOUR
  DEFINE down AS down.price < PREV(down.price), up AS up.price > PREV(up.price)
) AS m WHERE gain > 0 EMIT ON WINDOW CLOSE;
