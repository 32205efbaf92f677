-- Records of Kafka: how they are written, and what of them beside their value is a column
CREATE SOURCE orders (id BIGINT, price DOUBLE, WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE)
INCLUDE timestamp AS ts, key INCLUDE partition
WITH (connector = 'kafka', subscribe = 'orders', kafka.bootstrap.servers = 'broker:9092') FORMAT PLAIN ENCODE JSON;
CREATE SINK settled USING kafka OPTIONS (topic 'settled', kafka.bootstrap.servers 'broker:9092', encode 'json') AS
SELECT CAST(key AS STRING) AS key, id, price, partition FROM orders WHERE ts + INTERVAL 5 MINUTES <= WATERMARK_TS();
