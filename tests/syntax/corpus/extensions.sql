-- Scripts in tvfc's own syntax, each ended by a line of dashes.
CREATE SOURCE orders (
  id BIGINT, order_time TIMESTAMP, price DECIMAL(10, 2), customer_id BIGINT,
  WATERMARK FOR order_time AS order_time - INTERVAL 1 MINUTE
    IDLE AFTER INTERVAL 30 SECONDS MAX FUTURE SKEW INTERVAL 5 MINUTES,
) USING kafka OPTIONS (topic 'orders', kafka.bootstrap.servers 'localhost:9092', 'startingOffsets' = 'earliest');
SELECT * FROM orders WHERE order_time + INTERVAL 5 SECONDS <= WATERMARK_TS()
------
CREATE STREAM clicks (user_id STRING NOT NULL, ts TIMESTAMP COMMENT 'when', WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'topic' = 'clicks', 'limit' = 10, 'fast' = true)
------
CREATE SOURCE IF NOT EXISTS plain (a INT, b STRUCT<c: INT, d: ARRAY<STRING>>, e MAP<STRING, INT>,)
------
CREATE SOURCE guarded (
  id INT, ts TIMESTAMP,
  WATERMARK FOR ts AS CASE WHEN ts > PROC_TIME() THEN NULL ELSE ts - INTERVAL 1 MINUTE END
)
------
CREATE TABLE customers (id BIGINT, name STRING) USING parquet OPTIONS (path 'data/customers')
------
CREATE VIEW recent AS SELECT * FROM orders WHERE mz_now() <= ts + INTERVAL 1 HOUR
------
CREATE OR REPLACE TEMPORARY VIEW v (a, b) AS WITH x AS (SELECT 1, 2) SELECT * FROM x
------
CREATE MATERIALIZED VIEW totals AS
SELECT customer_id, sum(price) AS total FROM orders GROUP BY customer_id
------
CREATE SINK report USING parquet OPTIONS (path 'out', mode 'append') AS SELECT * FROM orders
------
CREATE SINK report USING parquet OPTIONS (path 'out');
INSERT INTO report SELECT * FROM orders;
INSERT INTO report (a, b) VALUES (1, 2)
------
CREATE SINK nowhere AS SELECT 1
------
SELECT window_start, count(*) FROM TUMBLE(orders, order_time, INTERVAL 1 MINUTE)
GROUP BY window_start, window_end EMIT ON WINDOW CLOSE
------
SELECT * FROM TUMBLE(orders AS o, o.order_time, INTERVAL 1 MINUTE, INTERVAL 10 SECONDS) AS w
------
SELECT * FROM HOP((SELECT * FROM orders WHERE price > 1), order_time, INTERVAL 1 MINUTE, INTERVAL 5 MINUTES) h
JOIN CUMULATE(clicks, ts, INTERVAL 1 HOUR, INTERVAL 1 DAY) AS c ON h.id = c.user_id
------
SELECT * FROM SESSION(clicks, ts, user_id, INTERVAL 30 MINUTES) EMIT ON WINDOW CLOSE
------
SELECT * FROM SESSION(clicks, ts, (user_id, device), INTERVAL 30 MINUTES) AS s
------
SELECT * FROM LATE(orders) AS l WHERE l._watermark > l.ts
------
SELECT * FROM TUMBLE(WATERMARK(LATE(orders), order_time, order_time - INTERVAL 1 HOUR), order_time, INTERVAL 1 DAY)
------
SELECT * FROM STREAM orders WATERMARK order_time DELAY OF INTERVAL 10 SECONDS
------
SELECT * FROM STREAM(shop.orders) AS o WHERE o.id > 1
------
SELECT * FROM orders WATERMARK timestamp_seconds(ts) AS event_time DELAY OF INTERVAL 10 SECONDS AS o
------
SELECT * FROM (SELECT * FROM orders) WATERMARK ts DELAY OF INTERVAL 1 MINUTE o
------
SELECT * FROM make_rows(1) WATERMARK ts DELAY OF INTERVAL 1 MINUTE
------
SELECT a FROM t UNION ALL SELECT b FROM u ORDER BY 1 LIMIT 10 OFFSET 1 EMIT ON WINDOW CLOSE
------
SELECT * FROM (SELECT a FROM t GROUP BY a EMIT ON WINDOW CLOSE) AS closed
------
WITH closed AS (SELECT a FROM t GROUP BY a EMIT ON WINDOW CLOSE) SELECT * FROM closed EMIT ON WINDOW CLOSE
------
(SELECT a FROM t EMIT ON WINDOW CLOSE)
------
SELECT a FROM t WHERE ts BETWEEN mz_now() - INTERVAL 1 HOUR AND mz_now() AND b IN (SELECT c FROM LATE(u))
------
SELECT WATERMARK_TS(o) AS w, PROC_TIME() AS p, mz_now() AS n FROM orders o
------
SELECT watermark, emit, close, late, tumble, hop, session, cumulate, source, sink, stream, mz_now, skew, idle
FROM watermark, emit AS close, late, tumble hop, source, sink AS stream
WHERE watermark.emit = late.close AND tumble > 1 AND source.sink IS NOT NULL
------
CREATE SOURCE source (source STRING, sink INT, watermark TIMESTAMP, emit INT, WATERMARK FOR watermark AS watermark);
CREATE VIEW emit AS SELECT late, tumble(late), hop(1, 2) FROM source;
CREATE SINK sink AS SELECT close AS emit FROM emit
------
SELECT * FROM orders WITH ('split' = '5', 'fast' = true) AS o JOIN shop.items VERSION AS OF 3 WITH (a.b = 1) TABLESAMPLE (5 ROWS) i ON o.id = i.id
------
SELECT * FROM STREAM orders WITH ('split' = '5') WATERMARK ts DELAY OF INTERVAL 1 MINUTE AS o
------
SELECT * FROM orders CHANGES FROM VERSION 1 EXCLUSIVE TO VERSION 5 INCLUSIVE WITH (computeUpdates = 'true') AS c
------
SELECT * FROM STREAM orders CHANGES FROM TIMESTAMP '2026-01-01' EXCLUSIVE
------
SELECT * FROM (SELECT * FROM orders CHANGES FROM SYSTEM_VERSION 3) JOIN items CHANGES FROM VERSION 1 USING (id)
------
SELECT * FROM a JOIN b AS x APPROX NEAREST 5 BY SIMILARITY a.v + x.v LEFT JOIN c EXACT NEAREST BY DISTANCE a.v - c.v
------
SELECT * FROM TUMBLE(LATE(t), ts, INTERVAL 1 DAY) UNION ALL SELECT * FROM HOP((SELECT * FROM a JOIN b USING (id)), ts, INTERVAL 1 HOUR, INTERVAL 1 DAY) EMIT ON WINDOW CLOSE
------
SELECT a, (SELECT max(b) FROM TUMBLE(t, ts, INTERVAL 1 DAY)) FROM u WHERE EXISTS (SELECT 1 FROM LATE(u) AS l WHERE l.a = u.a) AND a IN (SELECT a FROM WATERMARK(u, ts, ts - INTERVAL 1 DAY))
------
CREATE VIEW closed AS WITH w AS (SELECT * FROM SESSION(t, ts, a, INTERVAL 1 HOUR) s WHERE s.a > 1) SELECT a, count(*) AS n FROM w GROUP BY a EMIT ON WINDOW CLOSE
------
SELECT * FROM TUMBLE(t, ts, INTERVAL 1 DAY) AS a LEFT JOIN HOP(u, ts, INTERVAL 1 HOUR, INTERVAL 1 DAY) AS b ON a.window_start = b.window_start, LATE(v) c CROSS JOIN LATERAL (SELECT * FROM LATE(c))
------
FROM LATE(orders) |> WHERE a > 1 |> JOIN TUMBLE(t, ts, INTERVAL 1 DAY) AS w ON w.a = a
------
FROM TUMBLE(orders, ts, INTERVAL 1 DAY) SELECT a, count(*) GROUP BY a EMIT ON WINDOW CLOSE
------
SELECT * FROM a AS x ASOF LEFT JOIN (SELECT * FROM b) AS y MATCH_CONDITION (x.ts > y.ts) ON x.k = y.k ASOF JOIN c MATCH_CONDITION (x.ts >= c.ts) USING (k) JOIN d ON d.k = x.k
------
SELECT asof, match_condition(a) FROM a asof JOIN b AS match_condition ON asof.k = match_condition.k
------
SELECT * FROM a JOIN b FOR SYSTEM_TIME AS OF a.ts AS v ON a.k = v.k
------
SELECT m.* FROM ticks AS t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts, price DESC MEASURES FINAL LAST(b.price, 1) AS x, count(a.*) AS c, running sum(a.price) + 1 AS s ALL ROWS PER MATCH OMIT EMPTY MATCHES AFTER MATCH SKIP TO LAST b PATTERN ( a? b*? c+ {- d -} (e | f??){2,5} {-g+-} PERMUTE(a, b) h{,3}? | () ) WITHIN INTERVAL 1 HOUR SUBSET u = (a, b), pattern = (c) DEFINE a AS a.price > 1, b AS b.price < PREV(b.price, 1)) AS m JOIN u ON u.k = m.k
------
SELECT pattern, define, measures, final, running, after, one, match, subset, within, permute(a) FROM match_recognize AS measures JOIN t match_recognize (pattern, define) ON final(x) = running (a)
