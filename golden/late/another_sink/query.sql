-- Late rows go to a sink of their own, which takes the same decision from its own checkpoint.
CREATE SOURCE orders (
  id BIGINT, name STRING, ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE
) USING parquet OPTIONS (path 'orders');
CREATE SINK settled USING parquet OPTIONS (path 'settled');
CREATE SINK refused USING json OPTIONS (path 'refused');

INSERT INTO settled SELECT id FROM orders WHERE ts + INTERVAL 15 MINUTES <= WATERMARK_TS();
INSERT INTO refused SELECT * FROM LATE(orders);
