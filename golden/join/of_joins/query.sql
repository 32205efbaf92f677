-- Joins of joins with ranges of time: each says until when the rows of its two sides find partners.
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
CREATE SOURCE payments (order_id BIGINT, at TIMESTAMP, WATERMARK FOR at AS at) USING parquet OPTIONS (path 'payments');
CREATE SOURCE parcels (order_id BIGINT, sent TIMESTAMP, WATERMARK FOR sent AS sent) USING parquet OPTIONS (path 'parcels');
CREATE SOURCE returns (order_id BIGINT, at TIMESTAMP, WATERMARK FOR at AS at) USING parquet OPTIONS (path 'returns');
SELECT o.id, p.at, s.sent
FROM orders AS o
  JOIN payments AS p ON p.order_id = o.id AND p.at BETWEEN o.ts AND o.ts + INTERVAL 1 HOUR
  LEFT ANTI JOIN returns AS r ON r.order_id = o.id AND r.at > p.at AND r.at < p.at + INTERVAL 10 MINUTES
  LEFT JOIN parcels AS s ON s.order_id = o.id AND s.sent BETWEEN o.ts - INTERVAL 5 MINUTES AND o.ts + INTERVAL 2 HOURS
EMIT ON WINDOW CLOSE;
