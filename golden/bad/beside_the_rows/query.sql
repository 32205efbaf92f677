-- Rows that fit, late ones and those that do not fit are one streaming query.
CREATE SOURCE events (id INT NOT NULL, ts BIGINT, WATERMARK FOR ts AS ts - 60000)
USING csv OPTIONS (path 'events', header 'true', maxBadRows '1000');
CREATE SINK unread USING json OPTIONS (path 'unread') AS
SELECT record, reason, file, PROC_TIME() AS seen FROM BAD(events);
CREATE SINK refused USING json OPTIONS (path 'refused') AS SELECT * FROM LATE(events);
SELECT window_start, count(*) AS n FROM TUMBLE(events, ts, INTERVAL 1 MINUTE)
GROUP BY window_start EMIT ON WINDOW CLOSE;
