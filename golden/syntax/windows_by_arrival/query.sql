-- The time of arrival is a column of a view before there are windows of it.
SELECT bidder, count(*) AS n FROM TUMBLE(bids, PROC_TIME(), INTERVAL 10 SECONDS) GROUP BY bidder, window_end;
