-- The shapes of TPC-H's 22 queries over a shop of our own, in our own words.
-- 1 pricing summary
SELECT line_state, line_flag, sum(qty) AS sum_qty, sum(gross) AS sum_gross,
  sum(gross * (1 - rebate)) AS sum_net, sum(gross * (1 - rebate) * (1 + vat)) AS sum_billed,
  avg(qty) AS avg_qty, avg(gross) AS avg_gross, avg(rebate) AS avg_rebate, count(*) AS lines
FROM lines
WHERE sent_on <= DATE '2023-12-01' - INTERVAL '90' DAY
GROUP BY line_state, line_flag
ORDER BY line_state, line_flag;
-- 2 cheapest supplier of a part
SELECT s.balance, s.name, n.name, p.id, p.maker, s.street, s.phone, s.note
FROM parts p, suppliers s, offers o, nations n, regions r
WHERE p.id = o.part_id AND s.id = o.supplier_id AND p.size = 15 AND p.kind LIKE '%BRASS'
  AND s.nation_id = n.id AND n.region_id = r.id AND r.name = 'EUROPE'
  AND o.cost = (
    SELECT min(o2.cost) FROM offers o2, suppliers s2, nations n2, regions r2
    WHERE p.id = o2.part_id AND s2.id = o2.supplier_id AND s2.nation_id = n2.id
      AND n2.region_id = r2.id AND r2.name = 'EUROPE')
ORDER BY s.balance DESC, n.name, s.name, p.id
LIMIT 100;
-- 3 unshipped orders of high value
SELECT l.order_id, sum(l.gross * (1 - l.rebate)) AS revenue, o.placed_on, o.priority
FROM buyers b, orders o, lines l
WHERE b.segment = 'BUILDING' AND b.id = o.buyer_id AND l.order_id = o.id
  AND o.placed_on < DATE '2023-03-15' AND l.sent_on > DATE '2023-03-15'
GROUP BY l.order_id, o.placed_on, o.priority
ORDER BY revenue DESC, o.placed_on
LIMIT 10;
-- 4 late orders by priority
SELECT priority, count(*) AS order_count
FROM orders
WHERE placed_on >= DATE '2023-07-01' AND placed_on < DATE '2023-07-01' + INTERVAL '3' MONTH
  AND EXISTS (SELECT * FROM lines WHERE lines.order_id = orders.id AND due_on < got_on)
GROUP BY priority
ORDER BY priority;
-- 5 local volume
SELECT n.name, sum(l.gross * (1 - l.rebate)) AS revenue
FROM buyers b JOIN orders o ON b.id = o.buyer_id JOIN lines l ON l.order_id = o.id
  JOIN suppliers s ON l.supplier_id = s.id AND b.nation_id = s.nation_id
  JOIN nations n ON s.nation_id = n.id JOIN regions r ON n.region_id = r.id
WHERE r.name = 'ASIA' AND o.placed_on >= DATE '2022-01-01' AND o.placed_on < DATE '2023-01-01'
GROUP BY n.name
ORDER BY revenue DESC;
-- 6 what a rebate costs
SELECT sum(gross * rebate) AS lost
FROM lines
WHERE sent_on >= DATE '2022-01-01' AND sent_on < DATE '2022-01-01' + INTERVAL '1' YEAR
  AND rebate BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND qty < 24;
-- 7 trade between two nations
SELECT from_nation, to_nation, sent_year, sum(volume) AS revenue
FROM (
  SELECT n1.name AS from_nation, n2.name AS to_nation, extract(YEAR FROM l.sent_on) AS sent_year,
    l.gross * (1 - l.rebate) AS volume
  FROM suppliers s, lines l, orders o, buyers b, nations n1, nations n2
  WHERE s.id = l.supplier_id AND o.id = l.order_id AND b.id = o.buyer_id
    AND s.nation_id = n1.id AND b.nation_id = n2.id
    AND ((n1.name = 'FRANCE' AND n2.name = 'GERMANY') OR (n1.name = 'GERMANY' AND n2.name = 'FRANCE'))
    AND l.sent_on BETWEEN DATE '2022-01-01' AND DATE '2023-12-31') AS shipping
GROUP BY from_nation, to_nation, sent_year
ORDER BY from_nation, to_nation, sent_year;
-- 8 market share
SELECT placed_year, sum(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END) / sum(volume) AS share
FROM (
  SELECT extract(YEAR FROM o.placed_on) AS placed_year, l.gross * (1 - l.rebate) AS volume, n2.name AS nation
  FROM parts p, suppliers s, lines l, orders o, buyers b, nations n1, nations n2, regions r
  WHERE p.id = l.part_id AND s.id = l.supplier_id AND l.order_id = o.id AND o.buyer_id = b.id
    AND b.nation_id = n1.id AND n1.region_id = r.id AND r.name = 'AMERICA' AND s.nation_id = n2.id
    AND o.placed_on BETWEEN DATE '2022-01-01' AND DATE '2023-12-31' AND p.kind = 'ECONOMY STEEL') AS all_nations
GROUP BY placed_year
ORDER BY placed_year;
-- 9 profit by nation and year
SELECT nation, placed_year, sum(amount) AS profit
FROM (
  SELECT n.name AS nation, extract(YEAR FROM o.placed_on) AS placed_year,
    l.gross * (1 - l.rebate) - f.cost * l.qty AS amount
  FROM parts p, suppliers s, lines l, offers f, orders o, nations n
  WHERE s.id = l.supplier_id AND f.supplier_id = l.supplier_id AND f.part_id = l.part_id
    AND p.id = l.part_id AND o.id = l.order_id AND s.nation_id = n.id AND p.name LIKE '%green%') AS profits
GROUP BY nation, placed_year
ORDER BY nation, placed_year DESC;
-- 10 returned items
SELECT b.id, b.name, sum(l.gross * (1 - l.rebate)) AS revenue, b.balance, n.name, b.street, b.phone
FROM buyers b, orders o, lines l, nations n
WHERE b.id = o.buyer_id AND l.order_id = o.id AND o.placed_on >= DATE '2023-10-01'
  AND o.placed_on < DATE '2023-10-01' + INTERVAL '3' MONTH AND l.line_flag = 'R' AND b.nation_id = n.id
GROUP BY b.id, b.name, b.balance, b.phone, n.name, b.street
ORDER BY revenue DESC
LIMIT 20;
-- 11 important stock
SELECT f.part_id, sum(f.cost * f.stock) AS value
FROM offers f, suppliers s, nations n
WHERE f.supplier_id = s.id AND s.nation_id = n.id AND n.name = 'GERMANY'
GROUP BY f.part_id
HAVING sum(f.cost * f.stock) > (
  SELECT sum(f2.cost * f2.stock) * 0.0001
  FROM offers f2, suppliers s2, nations n2
  WHERE f2.supplier_id = s2.id AND s2.nation_id = n2.id AND n2.name = 'GERMANY')
ORDER BY value DESC;
-- 12 means of transport and priority
SELECT l.transport,
  sum(CASE WHEN o.priority = '1-URGENT' OR o.priority = '2-HIGH' THEN 1 ELSE 0 END) AS high,
  sum(CASE WHEN o.priority <> '1-URGENT' AND o.priority <> '2-HIGH' THEN 1 ELSE 0 END) AS low
FROM orders o, lines l
WHERE o.id = l.order_id AND l.transport IN ('MAIL', 'SHIP') AND l.due_on < l.got_on
  AND l.sent_on < l.due_on AND l.got_on >= DATE '2022-01-01' AND l.got_on < DATE '2023-01-01'
GROUP BY l.transport
ORDER BY l.transport;
-- 13 buyers by number of orders
SELECT orders_placed, count(*) AS buyers
FROM (
  SELECT b.id, count(o.id) AS orders_placed
  FROM buyers b LEFT OUTER JOIN orders o ON b.id = o.buyer_id AND o.note NOT LIKE '%special%requests%'
  GROUP BY b.id) AS per_buyer (id, orders_placed)
GROUP BY orders_placed
ORDER BY buyers DESC, orders_placed DESC;
-- 14 effect of a campaign
SELECT 100.00 * sum(CASE WHEN p.kind LIKE 'PROMO%' THEN l.gross * (1 - l.rebate) ELSE 0 END)
  / sum(l.gross * (1 - l.rebate)) AS promo_share
FROM lines l, parts p
WHERE l.part_id = p.id AND l.sent_on >= DATE '2023-09-01' AND l.sent_on < DATE '2023-09-01' + INTERVAL '1' MONTH;
-- 15 best supplier
WITH revenue (supplier_id, total) AS (
  SELECT supplier_id, sum(gross * (1 - rebate))
  FROM lines
  WHERE sent_on >= DATE '2023-01-01' AND sent_on < DATE '2023-01-01' + INTERVAL '3' MONTH
  GROUP BY supplier_id)
SELECT s.id, s.name, s.street, s.phone, revenue.total
FROM suppliers s, revenue
WHERE s.id = revenue.supplier_id AND revenue.total = (SELECT max(total) FROM revenue)
ORDER BY s.id;
-- 16 suppliers of parts, complaints left out
SELECT p.brand, p.kind, p.size, count(DISTINCT f.supplier_id) AS suppliers
FROM offers f, parts p
WHERE p.id = f.part_id AND p.brand <> 'Brand#45' AND p.kind NOT LIKE 'MEDIUM POLISHED%'
  AND p.size IN (49, 14, 23, 45, 19, 3, 36, 9)
  AND f.supplier_id NOT IN (SELECT id FROM suppliers WHERE note LIKE '%Customer%Complaints%')
GROUP BY p.brand, p.kind, p.size
ORDER BY suppliers DESC, p.brand, p.kind, p.size;
-- 17 small orders
SELECT sum(l.gross) / 7.0 AS yearly
FROM lines l, parts p
WHERE p.id = l.part_id AND p.brand = 'Brand#23' AND p.box = 'MED BOX'
  AND l.qty < (SELECT 0.2 * avg(l2.qty) FROM lines l2 WHERE l2.part_id = p.id);
-- 18 large orders
SELECT b.name, b.id, o.id, o.placed_on, o.total, sum(l.qty)
FROM buyers b, orders o, lines l
WHERE o.id IN (SELECT order_id FROM lines GROUP BY order_id HAVING sum(qty) > 300)
  AND b.id = o.buyer_id AND o.id = l.order_id
GROUP BY b.name, b.id, o.id, o.placed_on, o.total
ORDER BY o.total DESC, o.placed_on
LIMIT 100;
-- 19 three kinds of discounted parts
SELECT sum(l.gross * (1 - l.rebate)) AS revenue
FROM lines l, parts p
WHERE (p.id = l.part_id AND p.brand = 'Brand#12' AND p.box IN ('SM CASE', 'SM BOX') AND l.qty >= 1
    AND l.qty <= 1 + 10 AND p.size BETWEEN 1 AND 5 AND l.transport IN ('AIR', 'AIR REG'))
  OR (p.id = l.part_id AND p.brand = 'Brand#23' AND p.box IN ('MED BAG', 'MED BOX') AND l.qty >= 10
    AND l.qty <= 10 + 10 AND p.size BETWEEN 1 AND 10 AND l.transport IN ('AIR', 'AIR REG'))
  OR (p.id = l.part_id AND p.brand = 'Brand#34' AND l.qty >= 20 AND p.size BETWEEN 1 AND 15);
-- 20 suppliers with too much in stock
SELECT s.name, s.street
FROM suppliers s, nations n
WHERE s.id IN (
    SELECT f.supplier_id FROM offers f
    WHERE f.part_id IN (SELECT id FROM parts WHERE name LIKE 'forest%')
      AND f.stock > (
        SELECT 0.5 * sum(l.qty) FROM lines l
        WHERE l.part_id = f.part_id AND l.supplier_id = f.supplier_id
          AND l.sent_on >= DATE '2022-01-01' AND l.sent_on < DATE '2022-01-01' + INTERVAL '1' YEAR))
  AND s.nation_id = n.id AND n.name = 'CANADA'
ORDER BY s.name;
-- 21 suppliers who kept orders waiting
SELECT s.name, count(*) AS waits
FROM suppliers s, lines l1, orders o, nations n
WHERE s.id = l1.supplier_id AND o.id = l1.order_id AND o.state = 'F' AND l1.got_on > l1.due_on
  AND EXISTS (SELECT * FROM lines l2 WHERE l2.order_id = l1.order_id AND l2.supplier_id <> l1.supplier_id)
  AND NOT EXISTS (
    SELECT * FROM lines l3
    WHERE l3.order_id = l1.order_id AND l3.supplier_id <> l1.supplier_id AND l3.got_on > l3.due_on)
  AND s.nation_id = n.id AND n.name = 'SAUDI ARABIA'
GROUP BY s.name
ORDER BY waits DESC, s.name
LIMIT 100;
-- 22 buyers worth a call
SELECT prefix, count(*) AS buyers, sum(balance) AS total
FROM (
  SELECT substring(b.phone FROM 1 FOR 2) AS prefix, b.balance
  FROM buyers b
  WHERE substring(b.phone FROM 1 FOR 2) IN ('13', '31', '23', '29', '30', '18', '17')
    AND b.balance > (
      SELECT avg(b2.balance) FROM buyers b2
      WHERE b2.balance > 0.00 AND substr(b2.phone, 1, 2) IN ('13', '31', '23'))
    AND NOT EXISTS (SELECT * FROM orders o WHERE o.buyer_id = b.id)) AS sleepers
GROUP BY prefix
ORDER BY prefix;
