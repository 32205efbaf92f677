-- PER names a column of the source
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE PER device)
USING kafka OPTIONS (subscribe 'orders', kafka.bootstrap.servers 'broker:9092');
SELECT id FROM orders;
