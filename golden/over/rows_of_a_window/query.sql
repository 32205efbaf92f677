-- With the window among the keys rows wait for its end, and frames may look ahead for ever.
CREATE SOURCE laps (car INT, ts TIMESTAMP, seconds DOUBLE, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'laps');
SELECT car, seconds,
  ntile(4) OVER (PARTITION BY window_start, window_end ORDER BY seconds) AS quarter,
  lead(car) OVER (PARTITION BY window_start, window_end ORDER BY seconds DESC) AS ahead
FROM TUMBLE(laps, ts, INTERVAL 1 HOUR) EMIT ON WINDOW CLOSE;
