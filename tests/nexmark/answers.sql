-- The same in DuckDB, where it is not the same text; $clock is the watermark that the job has reached.
-- q5
WITH counted AS (
  SELECT auction, window_end, count(*) AS bids
  FROM (
    SELECT auction, time_bucket(INTERVAL 2 SECONDS, date_time) + INTERVAL (2 * n) SECONDS AS window_end
    FROM bid, range(1, 6) AS hops(n)) AS hop
  GROUP BY auction, window_end)
SELECT auction, bids, window_end - INTERVAL 10 SECONDS FROM counted AS c
WHERE window_end <= $clock
  AND bids = (SELECT max(bids) FROM counted AS m WHERE m.window_end = c.window_end);
-- q7
SELECT auction, bidder, price, date_time FROM bid AS b
WHERE time_bucket(INTERVAL 10 SECONDS, date_time) + INTERVAL 10 SECONDS <= $clock
  AND price = (
    SELECT max(price) FROM bid AS m
    WHERE time_bucket(INTERVAL 10 SECONDS, m.date_time) = time_bucket(INTERVAL 10 SECONDS, b.date_time));
-- q8
SELECT DISTINCT p.id, p.name, time_bucket(INTERVAL 10 SECONDS, p.date_time)
FROM person AS p JOIN auction AS a ON p.id = a.seller
  AND time_bucket(INTERVAL 10 SECONDS, p.date_time) = time_bucket(INTERVAL 10 SECONDS, a.date_time)
WHERE time_bucket(INTERVAL 10 SECONDS, p.date_time) + INTERVAL 10 SECONDS <= $clock;
-- q10
SELECT auction, bidder, price, date_time, extra, strftime(date_time, '%Y-%m-%d'),
  strftime(date_time, '%H:%M')
FROM bid;
-- q11
WITH begun AS (
  SELECT bidder, date_time, coalesce(date_time - lag(date_time) OVER mine >= INTERVAL 10 SECONDS, TRUE) AS begins
  FROM bid WINDOW mine AS (PARTITION BY bidder ORDER BY date_time)),
numbered AS (
  SELECT *, count(*) FILTER (WHERE begins) OVER (PARTITION BY bidder ORDER BY date_time) AS number FROM begun)
SELECT bidder, count(*), min(date_time), max(date_time) + INTERVAL 10 SECONDS
FROM numbered GROUP BY bidder, number
HAVING max(date_time) + INTERVAL 10 SECONDS <= $clock;
-- q13
SELECT b.auction, b.bidder, b.price, b.date_time, s.value
FROM bid AS b JOIN side_input AS s ON b.auction % 10000 = s.key;
-- q14
SELECT auction, bidder, 0.908 * price,
  CASE WHEN hour(date_time) BETWEEN 8 AND 18 THEN 'day'
    WHEN hour(date_time) <= 6 OR hour(date_time) >= 20 THEN 'night' ELSE 'other' END,
  date_time, extra, length(extra) - length(replace(extra, 'c', ''))
FROM bid
WHERE 0.908 * price > 100000 AND 0.908 * price < 50000000;
-- q15
SELECT strftime(date_time, '%Y-%m-%d'), count(*), count_if(price < 10000),
  count_if(price >= 10000 AND price < 1000000), count_if(price >= 1000000),
  count(DISTINCT bidder), count(DISTINCT CASE WHEN price < 10000 THEN bidder END),
  count(DISTINCT CASE WHEN price >= 10000 AND price < 1000000 THEN bidder END),
  count(DISTINCT CASE WHEN price >= 1000000 THEN bidder END),
  count(DISTINCT auction), count(DISTINCT CASE WHEN price < 10000 THEN auction END),
  count(DISTINCT CASE WHEN price >= 10000 AND price < 1000000 THEN auction END),
  count(DISTINCT CASE WHEN price >= 1000000 THEN auction END)
FROM bid GROUP BY 1;
-- q16
SELECT channel, strftime(date_time, '%Y-%m-%d'), max(strftime(date_time, '%H:%M')), count(*),
  count_if(price < 10000), count_if(price >= 10000 AND price < 1000000),
  count_if(price >= 1000000), count(DISTINCT bidder),
  count(DISTINCT CASE WHEN price < 10000 THEN bidder END), count(DISTINCT auction),
  count(DISTINCT CASE WHEN price >= 1000000 THEN auction END)
FROM bid GROUP BY 1, 2;
-- q17
SELECT auction, strftime(date_time, '%Y-%m-%d'), count(*), count_if(price < 10000),
  count_if(price >= 10000 AND price < 1000000), count_if(price >= 1000000),
  min(price), max(price), avg(price), sum(price)
FROM bid GROUP BY 1, 2;
