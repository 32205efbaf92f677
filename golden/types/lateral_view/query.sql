-- What each item was ordered for by the minute; an item of an order, and its place in it.
CREATE SOURCE orders (
  id BIGINT, items ARRAY<STRUCT<sku: STRING, price: INT>>, tags MAP<STRING, STRING>, ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 10 SECONDS
) USING parquet OPTIONS (path 'orders');

CREATE SINK totals USING parquet OPTIONS (path 'totals') AS
SELECT window(ts, '1 minute').start AS minute, sku, sum(price) AS total
FROM orders LATERAL VIEW inline(items) i
GROUP BY 1, 2
EMIT ON WINDOW CLOSE;

SELECT o.id, place, item.sku, key AS tag
FROM orders AS o
LATERAL VIEW posexplode(o.items) t AS place, item
LATERAL VIEW OUTER explode(o.tags) u
WHERE ts <= WATERMARK_TS();
