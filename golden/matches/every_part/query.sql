-- All rows of matches; alternatives, quantifiers, excluded rows, and conditions over several rows.
CREATE SOURCE ticks (
  k STRING, ts TIMESTAMP, n INT, price DECIMAL(10, 2), WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'ticks');
SELECT * FROM ticks MATCH_RECOGNIZE (
  PARTITION BY k ORDER BY ts, n DESC
  MEASURES classifier() AS name, match_number() AS number, FINAL count(*) AS in_all,
           sum(u.price) AS total, FIRST(u.price, 1) AS second, PREV(FIRST(price)) AS before
  ALL ROWS PER MATCH OMIT EMPTY MATCHES
  AFTER MATCH SKIP TO FIRST c
  PATTERN (a (b | d){1,3}? {- e* -} c PERMUTE(f, g)) WITHIN INTERVAL 10 MINUTES
  SUBSET u = (a, c)
  DEFINE b AS upper(b.k) <> 'X' AND b.price BETWEEN a.price AND a.price * 1.1,
         c AS c.n IN (LAST(a.n), 7) OR c.price > avg(b.price) + 0.5,
         e AS CASE WHEN e.n > a.n THEN NEXT(e.n) IS NULL ELSE coalesce(e.price > a.price, false) END
);
