-- Conditions of joins of streams that no row decides.
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
CREATE SOURCE bids (id BIGINT, at TIMESTAMP, WATERMARK FOR at AS at) USING parquet OPTIONS (path 'bids');
CREATE VIEW never AS SELECT o.id FROM orders AS o JOIN bids AS b ON o.id = b.id AND 1 = 2;
SELECT o.id FROM orders AS o
LEFT JOIN bids AS b ON o.id = b.id AND true AND b.at BETWEEN o.ts AND o.ts + INTERVAL 1 HOUR AND current_date() > DATE'2020-01-01'
EMIT ON WINDOW CLOSE;
