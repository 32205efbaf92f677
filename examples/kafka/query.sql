-- Bids: the best of each item in the last hour as a table in Kafka, and each bid once it has stood for ten minutes.
CREATE SOURCE bids (
  item STRING, price INT, at TIMESTAMP,
  WATERMARK FOR at AS at
) USING kafka OPTIONS (
  `kafka.bootstrap.servers` '127.0.0.1:9092', subscribe 'bids', startingOffsets 'earliest', maxOffsetsPerTrigger '3'
);

CREATE SINK best USING kafka
OPTIONS (`kafka.bootstrap.servers` '127.0.0.1:9092', topic 'best', key 'item') AS
SELECT item, count(*) AS bids, max(price) AS best FROM bids
WHERE WATERMARK_TS() < at + INTERVAL 1 HOUR GROUP BY item;

CREATE SINK settled USING kafka
OPTIONS (`kafka.bootstrap.servers` '127.0.0.1:9092', topic 'settled', key 'item', mode 'append') AS
SELECT item, price, at FROM bids WHERE at + INTERVAL 10 MINUTES <= WATERMARK_TS();
