-- A source that falls silent lets the wall clock move its watermark.
CREATE SOURCE orders (
  id BIGINT, ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 5 SECONDS
    IDLE AFTER INTERVAL 1 MINUTE 30 SECONDS MAX FUTURE SKEW INTERVAL 5 MINUTES
) USING kafka OPTIONS (topic 'orders', kafka.bootstrap.servers 'broker:9092');

SELECT id FROM orders WHERE ts + INTERVAL 10 MINUTES <= WATERMARK_TS();
