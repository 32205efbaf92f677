-- A comma: WHERE has the key and the range of time, in two alternatives; each has its own range.
CREATE SOURCE orders (
  id BIGINT, express BOOLEAN, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE SOURCE parcels (
  order_id BIGINT, sent TIMESTAMP, WATERMARK FOR sent AS sent - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'parcels');
SELECT id, o.ts, p.sent
FROM orders o, parcels p
WHERE p.sent >= o.ts
  AND (id = order_id AND express AND p.sent <= o.ts + INTERVAL 1 HOUR
    OR p.order_id = o.id AND NOT express AND p.sent <= o.ts + INTERVAL 1 DAY)
EMIT ON WINDOW CLOSE;
