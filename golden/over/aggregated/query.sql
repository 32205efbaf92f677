-- Groups above window functions close with the time column, later by what a frame looks ahead.
CREATE SOURCE trips (zone STRING, ts TIMESTAMP, fare INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'trips');
SELECT ts, max(busy) AS busiest FROM (
  SELECT ts, count(*) OVER (
    PARTITION BY zone ORDER BY ts RANGE BETWEEN CURRENT ROW AND INTERVAL 5 SECONDS FOLLOWING
  ) AS busy FROM trips
)
GROUP BY ts EMIT ON WINDOW CLOSE;
