-- Functions over different keys share one operator; without a common key it is one shard.
CREATE SOURCE reads (site INT, sensor INT, ts TIMESTAMP, v INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'reads');
SELECT site, sensor, v,
  lag(v) OVER (PARTITION BY site, sensor ORDER BY ts) AS of_sensor,
  lead(v, 2) OVER (PARTITION BY site ORDER BY ts) AS of_site
FROM reads EMIT ON WINDOW CLOSE;
