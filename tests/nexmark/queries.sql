-- The queries of Nexmark: what each asks, of which streams, and how it is written here.
-- q0 of bid: what comes
SELECT auction, bidder, price, date_time, extra FROM bid;
-- q1 of bid: prices in another currency
SELECT auction, bidder, 0.908 * price AS price, date_time, extra FROM bid;
-- q2 of bid: bids on some auctions
SELECT auction, price FROM bid WHERE mod(auction, 123) = 0;
-- q3 of auction, person: who sells what in some states
SELECT p.name, p.city, p.state, a.id
FROM auction AS a JOIN person AS p ON a.seller = p.id
WHERE a.category = 10 AND p.state IN ('OR', 'ID', 'CA');
-- q4 of auction, bid: average closing price of a category
SELECT category, avg(final) AS average
FROM (
  SELECT a.id, a.category, max(b.price) AS final
  FROM auction AS a JOIN bid AS b
    ON a.id = b.auction AND b.date_time BETWEEN a.date_time AND a.expires
  GROUP BY a.id, a.category) AS closed
GROUP BY category;
-- q5 of bid: the auctions with the most bids of ten seconds, every two seconds
WITH counted AS (
  SELECT auction, window_start, window_end, count(*) AS bids
  FROM HOP(bid, date_time, INTERVAL 2 SECONDS, INTERVAL 10 SECONDS)
  GROUP BY auction, window_start, window_end EMIT ON WINDOW CLOSE)
SELECT c.auction, c.bids, c.window_start
FROM counted AS c JOIN (
  SELECT window_start, window_end, max(bids) AS most FROM counted
  GROUP BY window_start, window_end EMIT ON WINDOW CLOSE) AS m
ON c.window_start = m.window_start AND c.window_end = m.window_end AND c.bids >= m.most
EMIT ON WINDOW CLOSE;
-- q6 of auction, bid: average closing price of a seller's last ten auctions
SELECT seller, date_time,
  avg(price) OVER (PARTITION BY seller ORDER BY date_time, id ROWS BETWEEN 10 PRECEDING AND CURRENT ROW)
    AS average
FROM (
  SELECT a.id, a.seller, b.price, b.date_time
  FROM auction AS a JOIN bid AS b
    ON a.id = b.auction AND b.date_time BETWEEN a.date_time AND a.expires
  QUALIFY row_number() OVER (PARTITION BY a.id ORDER BY b.price DESC, b.date_time, b.bidder) = 1)
  AS won;
-- q7 of bid: the highest bids of each ten seconds
SELECT b.auction, b.bidder, b.price, b.date_time
FROM TUMBLE(bid, date_time, INTERVAL 10 SECONDS) AS b JOIN (
  SELECT window_start, window_end, max(price) AS most
  FROM TUMBLE(bid, date_time, INTERVAL 10 SECONDS)
  GROUP BY window_start, window_end EMIT ON WINDOW CLOSE) AS m
ON b.window_start = m.window_start AND b.window_end = m.window_end AND b.price = m.most
EMIT ON WINDOW CLOSE;
-- q8 of auction, person: who sold something in the ten seconds in which they were new
SELECT p.id, p.name, p.window_start
FROM (
  SELECT id, name, window_start, window_end FROM TUMBLE(person, date_time, INTERVAL 10 SECONDS)
  GROUP BY id, name, window_start, window_end EMIT ON WINDOW CLOSE) AS p
JOIN (
  SELECT seller, window_start, window_end FROM TUMBLE(auction, date_time, INTERVAL 10 SECONDS)
  GROUP BY seller, window_start, window_end EMIT ON WINDOW CLOSE) AS a
ON p.id = a.seller AND p.window_start = a.window_start AND p.window_end = a.window_end
EMIT ON WINDOW CLOSE;
-- q9 of auction, bid: the bid that wins an auction
SELECT a.id, a.item_name, a.reserve, a.seller, a.expires, b.bidder, b.price, b.date_time
FROM auction AS a JOIN bid AS b
  ON a.id = b.auction AND b.date_time BETWEEN a.date_time AND a.expires
QUALIFY row_number() OVER (PARTITION BY a.id ORDER BY b.price DESC, b.date_time, b.bidder) = 1;
-- q10 of bid: bids by the day and minute of their folder
SELECT auction, bidder, price, date_time, extra, date_format(date_time, 'yyyy-MM-dd') AS day,
  date_format(date_time, 'HH:mm') AS minute
FROM bid;
-- q11 of bid: bids of a bidder in a session
SELECT bidder, count(*) AS bids, window_start, window_end
FROM SESSION(bid, date_time, bidder, INTERVAL 10 SECONDS)
GROUP BY bidder, window_start, window_end EMIT ON WINDOW CLOSE;
-- q12 of bid: bids of a bidder in windows of processing time
SELECT bidder, count(*) AS bids, window_start, window_end
FROM TUMBLE(bid, PROC_TIME(), INTERVAL 10 SECONDS)
GROUP BY bidder, window_start, window_end EMIT ON WINDOW CLOSE;
-- q13 of bid: a table beside the bids
SELECT b.auction, b.bidder, b.price, b.date_time, s.value
FROM bid AS b JOIN side_input FOR SYSTEM_TIME AS OF PROC_TIME() AS s
ON mod(b.auction, 10000) = s.key;
-- q14 of bid: bids of a range of prices, and when they came
CREATE FUNCTION count_char(text STRING, what STRING) RETURNS INT
RETURN length(text) - length(replace(text, what, ''));
SELECT auction, bidder, 0.908 * price AS price,
  CASE WHEN hour(date_time) BETWEEN 8 AND 18 THEN 'day'
    WHEN hour(date_time) <= 6 OR hour(date_time) >= 20 THEN 'night' ELSE 'other' END AS time_type,
  date_time, extra, count_char(extra, 'c') AS c_counts
FROM bid
WHERE 0.908 * price > 100000 AND 0.908 * price < 50000000;
-- q15 of bid: bids, bidders and auctions of a day
SELECT date_format(date_time, 'yyyy-MM-dd') AS day, count(*) AS bids,
  count(*) FILTER (WHERE price < 10000) AS low_bids,
  count(*) FILTER (WHERE price >= 10000 AND price < 1000000) AS middle_bids,
  count(*) FILTER (WHERE price >= 1000000) AS high_bids,
  count(DISTINCT bidder) AS bidders,
  count(DISTINCT bidder) FILTER (WHERE price < 10000) AS low_bidders,
  count(DISTINCT bidder) FILTER (WHERE price >= 10000 AND price < 1000000) AS middle_bidders,
  count(DISTINCT bidder) FILTER (WHERE price >= 1000000) AS high_bidders,
  count(DISTINCT auction) AS auctions,
  count(DISTINCT auction) FILTER (WHERE price < 10000) AS low_auctions,
  count(DISTINCT auction) FILTER (WHERE price >= 10000 AND price < 1000000) AS middle_auctions,
  count(DISTINCT auction) FILTER (WHERE price >= 1000000) AS high_auctions
FROM bid
GROUP BY date_format(date_time, 'yyyy-MM-dd');
-- q16 of bid: the same of a channel and a day
SELECT channel, date_format(date_time, 'yyyy-MM-dd') AS day,
  max(date_format(date_time, 'HH:mm')) AS minute, count(*) AS bids,
  count(*) FILTER (WHERE price < 10000) AS low_bids,
  count(*) FILTER (WHERE price >= 10000 AND price < 1000000) AS middle_bids,
  count(*) FILTER (WHERE price >= 1000000) AS high_bids,
  count(DISTINCT bidder) AS bidders,
  count(DISTINCT bidder) FILTER (WHERE price < 10000) AS low_bidders,
  count(DISTINCT auction) AS auctions,
  count(DISTINCT auction) FILTER (WHERE price >= 1000000) AS high_auctions
FROM bid
GROUP BY channel, date_format(date_time, 'yyyy-MM-dd');
-- q17 of bid: prices of an auction on a day
SELECT auction, date_format(date_time, 'yyyy-MM-dd') AS day, count(*) AS bids,
  count(*) FILTER (WHERE price < 10000) AS low_bids,
  count(*) FILTER (WHERE price >= 10000 AND price < 1000000) AS middle_bids,
  count(*) FILTER (WHERE price >= 1000000) AS high_bids,
  min(price) AS lowest, max(price) AS highest, avg(price) AS average, sum(price) AS total
FROM bid
GROUP BY auction, date_format(date_time, 'yyyy-MM-dd');
-- q18 of bid: the last bid of a bidder on an auction
SELECT auction, bidder, price, channel, url, date_time, extra
FROM bid
QUALIFY row_number() OVER (PARTITION BY bidder, auction ORDER BY date_time DESC, price, extra) <= 1;
-- q19 of bid: the ten highest bids of an auction
SELECT *, row_number() OVER (PARTITION BY auction ORDER BY price DESC, date_time, bidder) AS place
FROM bid
QUALIFY place <= 10;
-- q20 of auction, bid: bids with their auction
SELECT b.auction, b.bidder, b.price, b.channel, b.date_time, a.item_name, a.initial_bid, a.reserve,
  a.expires, a.seller
FROM bid AS b JOIN auction AS a ON b.auction = a.id
WHERE a.category = 10;
-- q21 of bid: the number of a channel
SELECT auction, bidder, price, channel,
  CASE lower(channel) WHEN 'apple' THEN '0' WHEN 'google' THEN '1' WHEN 'facebook' THEN '2'
    WHEN 'baidu' THEN '3' ELSE regexp_extract(url, '(&|^)channel_id=([^&]*)', 2) END AS channel_id
FROM bid
WHERE regexp_extract(url, '(&|^)channel_id=([^&]*)', 2) <> ''
  OR lower(channel) IN ('apple', 'google', 'facebook', 'baidu');
-- q22 of bid: the folders of a URL
SELECT auction, bidder, price, channel, split_part(url, '/', 4) AS dir1,
  split_part(url, '/', 5) AS dir2, split_part(url, '/', 6) AS dir3
FROM bid;
-- q23 of auction, bid, person: bids of persons who sell something themselves
SELECT b.bidder, b.price, b.channel, p.name, p.city, p.state, a.item_name, a.initial_bid,
  a.expires, a.category
FROM bid AS b JOIN person AS p ON p.id = b.bidder JOIN auction AS a ON a.seller = b.bidder;
