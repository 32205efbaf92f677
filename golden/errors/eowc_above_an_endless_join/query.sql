-- Groups above a join that says nothing of time.
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
CREATE SOURCE bids (id BIGINT, at TIMESTAMP, WATERMARK FOR at AS at) USING parquet OPTIONS (path 'bids');
SELECT window_start, count(*) AS n FROM TUMBLE(orders, ts, INTERVAL 1 HOUR) AS o JOIN bids AS b ON o.id = b.id
GROUP BY window_start EMIT ON WINDOW CLOSE;
