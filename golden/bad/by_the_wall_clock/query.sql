-- Bad rows of a source that another query reads by the wall clock: one streaming query.
CREATE SOURCE events (id INT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING json OPTIONS (path 'events');
CREATE SINK live USING json OPTIONS (path 'live') AS SELECT id FROM events WHERE mz_now() < ts + INTERVAL 1 HOUR;
SELECT reason, count(*) AS n FROM BAD(events) GROUP BY reason;
