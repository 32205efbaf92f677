-- Windows in FROM, and a stream in a subquery of WHERE.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE VIEW per_minute AS SELECT id FROM TUMBLE(orders, ts, INTERVAL 1 MINUTE);
SELECT id FROM orders AS o WHERE EXISTS (SELECT 1 FROM orders AS p WHERE p.id = -o.id);
