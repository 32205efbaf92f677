-- Windows of PROC_TIME() close as rows arrive, or by the wall clock once none does; no watermark below matters.
CREATE SOURCE bids (bidder STRING, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'bids');

SELECT bidder, window_end, count(*) AS n
FROM TUMBLE(bids, PROC_TIME(), INTERVAL 10 SECONDS)
GROUP BY bidder, window_start, window_end
EMIT ON WINDOW CLOSE;
