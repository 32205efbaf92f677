-- Kafka by key: the result as it stands, and every change under the key of its row.
CREATE SOURCE bids (item STRING, price INT, at TIMESTAMP, WATERMARK FOR at AS at)
USING kafka OPTIONS (`kafka.bootstrap.servers` 'broker:9092', subscribe 'bids');
CREATE VIEW totals AS SELECT item, count(*) AS bids, max(price) AS best FROM bids
WHERE WATERMARK_TS() < at + INTERVAL 1 HOUR GROUP BY item;
CREATE SINK live USING kafka
OPTIONS (`kafka.bootstrap.servers` 'broker:9092', topic 'live', key 'item') AS SELECT * FROM totals;
CREATE SINK history USING kafka
OPTIONS (`kafka.bootstrap.servers` 'broker:9092', topic 'history', key 'item', mode 'changelog',
         delivery 'at-least-once', `kafka.security.protocol` 'SSL') AS SELECT * FROM totals;
