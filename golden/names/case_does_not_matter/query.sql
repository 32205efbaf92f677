-- Names are found whatever their case, and appear as they are written.
CREATE SOURCE orders (
  id BIGINT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
SELECT ID, Orders.NAME, o2.Price
FROM ORDERS JOIN (SELECT id AS order_id, price FROM orders) o2 ON Id = ORDER_ID
WHERE Ts <= watermark_ts();
