-- Windows of which five hold each row, out of panes: WHERE below them, HAVING and expressions above.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare DOUBLE, tip INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
USING parquet OPTIONS (path 'trips');
SELECT upper(zone) AS zone, window_end, count(*) AS n, avg(fare) AS fare, max(tip) FILTER (WHERE fare > 10) + 1 AS tip
FROM HOP(trips, ts, INTERVAL 2 MINUTES, INTERVAL 10 MINUTES, INTERVAL 30 SECONDS) AS t
WHERE t.tip >= 0
GROUP BY upper(zone), window_end
HAVING count(*) > 1
EMIT ON WINDOW CLOSE;
