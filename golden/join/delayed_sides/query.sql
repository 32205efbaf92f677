-- Both sides wait: a pair is due when both of its rows are. The state is not bounded.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE SOURCE payments (
  order_id BIGINT, paid TIMESTAMP, WATERMARK FOR paid AS paid
) USING parquet OPTIONS (path 'payments');

SELECT o.id, p.paid
FROM (SELECT id FROM orders WHERE ts <= WATERMARK_TS()) AS o
JOIN (SELECT order_id, paid FROM payments WHERE paid <= WATERMARK_TS()) AS p
  ON o.id = p.order_id;
