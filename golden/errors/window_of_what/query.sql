-- Calls of window() without a time column or a length.
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
CREATE SOURCE bids (id BIGINT, at TIMESTAMP, WATERMARK FOR at AS at) USING parquet OPTIONS (path 'bids');
CREATE VIEW a AS SELECT count(*) AS n FROM orders GROUP BY window() EMIT ON WINDOW CLOSE;
SELECT count(*) AS n FROM orders GROUP BY window(ts + INTERVAL 1 DAY, '1 hour') EMIT ON WINDOW CLOSE;
