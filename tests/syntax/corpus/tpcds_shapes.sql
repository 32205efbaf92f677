-- Shapes of TPC-DS over a shop of our own, in our own words: one query for each construct it leans on.
-- returns above 1.2 times the average of their store
WITH returned AS (
  SELECT buyer_id AS buyer, store_id AS store, sum(amount) AS total
  FROM store_returns, days WHERE return_day = day_id AND year = 2020 GROUP BY buyer_id, store_id)
SELECT b.code FROM returned r1, stores s, buyers b
WHERE r1.total > (SELECT avg(total) * 1.2 FROM returned r2 WHERE r1.store = r2.store)
  AND s.id = r1.store AND s.state = 'TN' AND r1.buyer = b.id
ORDER BY b.code LIMIT 100;
-- week against the same week a year later, days as columns
WITH both_ways AS (
  SELECT sold_day, price FROM (
    SELECT web_day AS sold_day, web_price AS price FROM web_sales
    UNION ALL SELECT cat_day AS sold_day, cat_price AS price FROM cat_sales)),
weeks AS (
  SELECT week, sum(CASE WHEN (day_name = 'Sunday') THEN price ELSE NULL END) AS sunday,
    sum(CASE WHEN (day_name = 'Monday') THEN price ELSE NULL END) AS monday
  FROM both_ways, days WHERE days.id = sold_day GROUP BY week)
SELECT y.week, round(y.sunday / z.sunday, 2), round(y.monday / z.monday, 2)
FROM (SELECT weeks.week, sunday, monday FROM weeks, days WHERE days.week = weeks.week AND year = 2021) y,
  (SELECT weeks.week AS week2, sunday, monday FROM weeks, days WHERE days.week = weeks.week AND year = 2022) z
WHERE y.week = z.week2 - 53 ORDER BY y.week;
-- rollup with the rank inside the hierarchy
SELECT sum(profit) / sum(price) AS margin, category, class, grouping(category) + grouping(class) AS depth,
  rank() OVER (PARTITION BY grouping(category) + grouping(class),
    CASE WHEN grouping(class) = 0 THEN category END ORDER BY sum(profit) / sum(price) ASC) AS place
FROM store_sales, days d1, items, stores
WHERE d1.year = 2021 AND d1.id = sold_day AND items.id = item_id AND stores.id = store_id
  AND state IN ('TN', 'TN', 'TN')
GROUP BY ROLLUP (category, class)
ORDER BY depth DESC, CASE WHEN depth = 0 THEN category END, place LIMIT 100;
-- channels side by side, unions below a rollup
WITH store_side AS (
  SELECT store_code, sum(price) AS sales, sum(profit) AS profit, sum(back) AS returns, sum(loss) AS loss
  FROM (
    SELECT store_id AS store, day_id AS day, price, profit, cast(0 AS DECIMAL(7, 2)) AS back, cast(0 AS DECIMAL(7, 2)) AS loss
    FROM store_sales
    UNION ALL
    SELECT store_id AS store, day_id AS day, cast(0 AS DECIMAL(7, 2)), cast(0 AS DECIMAL(7, 2)), amount, loss
    FROM store_returns) all_moves, days, stores
  WHERE day = days.id AND date BETWEEN cast('2020-08-23' AS DATE) AND (cast('2020-08-23' AS DATE) + INTERVAL 14 DAYS)
    AND store = stores.id
  GROUP BY store_code)
SELECT channel, code, sum(sales) AS sales, sum(returns) AS returns, sum(profit) AS profit
FROM (
  SELECT 'store' AS channel, concat('store', store_code) AS code, sales, returns, (profit - loss) AS profit FROM store_side
  UNION ALL
  SELECT 'web' AS channel, 'web' || site AS code, sales, coalesce(returns, 0), (profit - coalesce(loss, 0)) FROM web_side) x
GROUP BY ROLLUP (channel, code)
ORDER BY channel, code LIMIT 100;
-- five ranges of a quantity, each a CASE over scalar subqueries
SELECT CASE WHEN (SELECT count(*) FROM store_sales WHERE qty BETWEEN 1 AND 20) > 74129
    THEN (SELECT avg(discount) FROM store_sales WHERE qty BETWEEN 1 AND 20)
    ELSE (SELECT avg(net) FROM store_sales WHERE qty BETWEEN 1 AND 20) END AS bucket1,
  CASE WHEN (SELECT count(*) FROM store_sales WHERE qty BETWEEN 21 AND 40) > 122840
    THEN (SELECT avg(discount) FROM store_sales WHERE qty BETWEEN 21 AND 40)
    ELSE (SELECT avg(net) FROM store_sales WHERE qty BETWEEN 21 AND 40) END AS bucket2
FROM reasons WHERE reasons.id = 1;
-- buyers who bought in one channel and in another
SELECT gender, marital, schooling, count(*) AS n1, credit, count(*) AS n2
FROM buyers b, addresses a, people
WHERE b.address_id = a.id AND county IN ('Rush County', 'Toole County') AND people.id = b.person_id
  AND EXISTS (SELECT * FROM store_sales, days WHERE b.id = store_sales.buyer_id AND sold_day = days.id AND year = 2022 AND month BETWEEN 1 AND 1 + 3)
  AND (EXISTS (SELECT * FROM web_sales, days WHERE b.id = web_sales.buyer_id AND web_day = days.id AND year = 2022)
    OR EXISTS (SELECT * FROM cat_sales, days WHERE b.id = cat_sales.buyer_id AND cat_day = days.id AND year = 2022))
GROUP BY gender, marital, schooling, credit
ORDER BY gender, marital, schooling, credit LIMIT 100;
-- growth of one channel against another, one common table read six times
WITH totals AS (
  SELECT b.code AS buyer, b.first, b.last, d.year AS year, sum(((list - cost - discount) + price) / 2) AS total, 's' AS kind
  FROM buyers b, store_sales s, days d WHERE b.id = s.buyer_id AND s.sold_day = d.id GROUP BY b.code, b.first, b.last, d.year
  UNION ALL
  SELECT b.code AS buyer, b.first, b.last, d.year AS year, sum(((list - cost - discount) + price) / 2) AS total, 'w' AS kind
  FROM buyers b, web_sales w, days d WHERE b.id = w.buyer_id AND w.web_day = d.id GROUP BY b.code, b.first, b.last, d.year)
SELECT s2.buyer, s2.first, s2.last
FROM totals s1, totals s2, totals w1, totals w2
WHERE s2.buyer = s1.buyer AND s1.buyer = w2.buyer AND s1.buyer = w1.buyer AND s1.kind = 's' AND w1.kind = 'w'
  AND s2.kind = 's' AND w2.kind = 'w' AND s1.year = 2021 AND s2.year = 2021 + 1 AND s1.total > 0 AND w1.total > 0
  AND CASE WHEN w1.total > 0 THEN w2.total / w1.total ELSE NULL END > CASE WHEN s1.total > 0 THEN s2.total / s1.total ELSE NULL END
ORDER BY s2.buyer, s2.first, s2.last LIMIT 100;
-- an item's share of its class
SELECT code, name, category, class, price, sum(ext) AS revenue,
  sum(ext) * 100 / sum(sum(ext)) OVER (PARTITION BY class) AS ratio
FROM web_sales, items, days
WHERE item_id = items.id AND category IN ('Sports', 'Books', 'Home') AND web_day = days.id
  AND date BETWEEN cast('2019-02-22' AS DATE) AND (cast('2019-02-22' AS DATE) + INTERVAL '30' DAY)
GROUP BY code, name, category, class, price
ORDER BY category, class, code, name, ratio LIMIT 100;
-- bought together, then apart: intersect and except
WITH cross_items AS (
  SELECT items.id AS item FROM items, (
    SELECT brand, class FROM store_sales JOIN items ON item_id = items.id
    INTERSECT SELECT brand, class FROM cat_sales JOIN items ON item_id = items.id
    INTERSECT SELECT brand, class FROM web_sales JOIN items ON item_id = items.id) AS shared
  WHERE items.brand = shared.brand AND items.class = shared.class)
SELECT count(*) FROM (
  (SELECT DISTINCT last, first, date FROM store_sales, days, buyers WHERE sold_day = days.id AND buyer_id = buyers.id)
  EXCEPT
  (SELECT DISTINCT last, first, date FROM cat_sales, days, buyers WHERE cat_day = days.id AND buyer_id = buyers.id)
  EXCEPT
  (SELECT DISTINCT last, first, date FROM web_sales, days, buyers WHERE web_day = days.id AND buyer_id = buyers.id)) cool;
-- running totals of two channels, joined in full
WITH web AS (
  SELECT item_id AS item, date, sum(sum(price)) OVER (PARTITION BY item_id ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS total
  FROM web_sales, days WHERE web_day = days.id AND month_number BETWEEN 1200 AND 1200 + 11 AND item_id IS NOT NULL
  GROUP BY item_id, date)
SELECT * FROM (
  SELECT item, date, web_total, store_total,
    max(web_total) OVER (PARTITION BY item ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS web_most
  FROM (
    SELECT CASE WHEN web.item IS NOT NULL THEN web.item ELSE store.item END AS item,
      CASE WHEN web.date IS NOT NULL THEN web.date ELSE store.date END AS date, web.total AS web_total, store.total AS store_total
    FROM web FULL OUTER JOIN store ON (web.item = store.item AND web.date = store.date)) x) y
WHERE web_most > store_total ORDER BY item, date LIMIT 100;
-- statistics of a stock that swings
WITH swings AS (
  SELECT warehouse, item, month, stdev, mean, CASE mean WHEN 0 THEN NULL ELSE stdev / mean END AS cov
  FROM (
    SELECT w.name AS warehouse, w.id, item_id AS item, d.month AS month, stddev_samp(stock) AS stdev, avg(stock) AS mean
    FROM inventory, items, warehouses w, days d
    WHERE item_id = items.id AND warehouse_id = w.id AND day_id = d.id AND d.year = 2021
    GROUP BY w.name, w.id, item_id, d.month) foo
  WHERE CASE mean WHEN 0 THEN 0 ELSE stdev / mean END > 1)
SELECT a.warehouse, a.item, a.month, a.mean, a.cov, b.month, b.mean, b.cov
FROM swings a, swings b
WHERE a.item = b.item AND a.warehouse = b.warehouse AND a.month = 1 AND b.month = 1 + 1 AND a.cov > 1.5
ORDER BY a.warehouse, a.item, a.month, a.mean, a.cov, b.month, b.mean, b.cov;
-- months beside each other
SELECT * FROM (
  SELECT maker, sum(price) AS sales, avg(sum(price)) OVER (PARTITION BY maker) AS mean, quarter
  FROM items, store_sales, days, stores
  WHERE item_id = items.id AND sold_day = days.id AND store_id = stores.id AND month_number IN (1200, 1200 + 1, 1200 + 2)
    AND ((category IN ('Books', 'Children') AND class IN ('personal', 'self-help'))
      OR (category IN ('Women', 'Music') AND class IN ('accessories', 'classical')))
  GROUP BY maker, quarter) monthly
WHERE CASE WHEN mean > 0 THEN abs(sales - mean) / mean ELSE NULL END > 0.1
ORDER BY mean, sales, maker LIMIT 100;
-- the best and the worst, by two ranks
SELECT up.place, i1.name AS best, i2.name AS worst
FROM (SELECT * FROM (SELECT item, rank() OVER (ORDER BY mean ASC) AS place FROM (
    SELECT item_id AS item, avg(profit) AS mean FROM store_sales s1 WHERE store_id = 4 GROUP BY item_id
    HAVING avg(profit) > 0.9 * (SELECT avg(profit) FROM store_sales WHERE store_id = 4 AND address_id IS NULL GROUP BY store_id)) v1) v11
  WHERE place < 11) up,
  (SELECT * FROM (SELECT item, rank() OVER (ORDER BY mean DESC) AS place FROM means) v21 WHERE place < 11) down,
  items i1, items i2
WHERE up.place = down.place AND i1.id = up.item AND i2.id = down.item
ORDER BY up.place LIMIT 100;
-- hours of a shop as eight subqueries in FROM
SELECT * FROM (SELECT count(*) AS h8 FROM store_sales, times, stores WHERE sold_time = times.id AND store_id = stores.id AND hour = 8 AND minute >= 30) s1,
  (SELECT count(*) AS h9 FROM store_sales, times, stores WHERE sold_time = times.id AND store_id = stores.id AND hour = 9 AND minute < 30) s2;
-- names by substrings, lists, and case folding
SELECT substr(w.name, 1, 20) AS place, kind, centre,
  sum(CASE WHEN (sent - sold <= 30) THEN 1 ELSE 0 END) AS `30 days`,
  sum(CASE WHEN (sent - sold > 30) AND (sent - sold <= 60) THEN 1 ELSE 0 END) AS `31-60 days`
FROM cat_sales, warehouses w, modes, centres, days
WHERE month_number BETWEEN 1200 AND 1200 + 11 AND sent_day = days.id AND upper(w.city) NOT IN ('FAIRVIEW', 'MIDWAY')
GROUP BY substr(w.name, 1, 20), kind, centre
ORDER BY 1, kind, 3 LIMIT 100;
