-- Groups above a LEFT JOIN: its rows without a partner come when they close, so the watermark lags.
CREATE SOURCE bids (item INT, at TIMESTAMP, price INT, WATERMARK FOR at AS at) USING parquet OPTIONS (path 'bids');
CREATE SOURCE sales (item INT, ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 1 SECOND) USING parquet OPTIONS (path 'sales');
SELECT date_trunc('MINUTE', s.ts) AS minute, count(*) AS n, count(b.price) AS bids
FROM sales AS s LEFT JOIN bids AS b ON s.item = b.item AND b.at BETWEEN s.ts AND s.ts + INTERVAL 1 MINUTE
GROUP BY 1 EMIT ON WINDOW CLOSE;
