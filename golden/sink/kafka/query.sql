-- From Kafka to Kafka; URIs and topics are no paths.
CREATE SOURCE clicks (
  user STRING, at TIMESTAMP, WATERMARK FOR at AS at - INTERVAL 10 SECONDS
) USING kafka OPTIONS (`kafka.bootstrap.servers` 'broker:9092', subscribe 'clicks');
CREATE SINK late_clicks USING kafka
OPTIONS (`kafka.bootstrap.servers` 'broker:9092', topic 'late_clicks');

INSERT INTO late_clicks
SELECT to_json(struct(user, at)) AS value FROM clicks WHERE at + INTERVAL 1 HOUR <= WATERMARK_TS();
