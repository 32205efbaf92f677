-- A watermark for each partition of the topics; a silent one is left out after a minute
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 10 SECONDS PER PARTITION IDLE AFTER INTERVAL 1 MINUTE)
USING kafka OPTIONS (subscribe 'orders', kafka.bootstrap.servers 'broker:9092')
FORMAT PLAIN ENCODE AVRO (schema.registry = 'http://registry:8081');
SELECT id FROM orders WHERE ts + INTERVAL 5 MINUTES <= WATERMARK_TS();
