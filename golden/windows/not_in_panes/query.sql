-- Medians, different values and decimals are not put together from panes; the plan says what keeps it.
CREATE SOURCE trips (ts TIMESTAMP, zone STRING, fare DECIMAL(10, 2), WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'trips');
CREATE SINK medians USING parquet OPTIONS (path 'medians') AS
SELECT zone, window_end, count(*) AS n, median(fare) AS fare
FROM HOP(trips, ts, INTERVAL 1 MINUTE, INTERVAL 10 MINUTES) GROUP BY zone, window_end EMIT ON WINDOW CLOSE;
CREATE SINK zones USING parquet OPTIONS (path 'zones') AS
SELECT window_end, count(DISTINCT zone) AS zones
FROM HOP(trips, ts, INTERVAL 1 MINUTE, INTERVAL 10 MINUTES) GROUP BY window_end EMIT ON WINDOW CLOSE;
CREATE SINK fares USING parquet OPTIONS (path 'fares') AS
SELECT window_end, sum(fare) AS fares
FROM HOP(trips, ts, INTERVAL 1 MINUTE, INTERVAL 10 MINUTES) GROUP BY window_end EMIT ON WINDOW CLOSE;
CREATE SINK by_fare USING parquet OPTIONS (path 'by_fare') AS
SELECT fare, window_end, count(*) AS n
FROM HOP(trips, ts, INTERVAL 1 MINUTE, INTERVAL 10 MINUTES) GROUP BY fare, window_end EMIT ON WINDOW CLOSE;
CREATE SINK by_day USING parquet OPTIONS (path 'by_day') AS
SELECT window_end, collect_list(zone) AS zones
FROM CUMULATE(trips, ts, INTERVAL 1 HOUR, INTERVAL 1 DAY) GROUP BY window_end EMIT ON WINDOW CLOSE;
