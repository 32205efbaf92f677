-- A strategy that ignores times in the future, and MAX FUTURE SKEW for the same.
CREATE SOURCE left_events (
  id BIGINT, ts TIMESTAMP,
  WATERMARK FOR ts AS CASE WHEN ts > PROC_TIME() THEN NULL ELSE ts - INTERVAL 1 MINUTE END
) USING parquet OPTIONS (path 'left');
CREATE SOURCE right_events (
  id BIGINT, ts TIMESTAMP,
  WATERMARK FOR ts AS ts - INTERVAL 1 MINUTE MAX FUTURE SKEW INTERVAL 5 MINUTES
) USING parquet OPTIONS (path 'right');

SELECT id, ts FROM left_events WHERE ts <= WATERMARK_TS()
UNION ALL
SELECT id, ts FROM right_events WHERE ts <= WATERMARK_TS();
