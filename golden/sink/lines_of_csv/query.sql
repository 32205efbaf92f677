-- Rows as lines of CSV, in a topic.
CREATE SOURCE orders (id BIGINT, price DECIMAL(10, 2), at TIMESTAMP, WATERMARK FOR at AS at)
USING json OPTIONS (path 'in');

CREATE SINK lines USING kafka OPTIONS (topic 'lines', kafka.bootstrap.servers 'broker:9092', key 'id')
FORMAT PLAIN ENCODE CSV (sep = ';') AS
SELECT id, price, at FROM orders WHERE at + INTERVAL 1 MINUTE <= WATERMARK_TS();
