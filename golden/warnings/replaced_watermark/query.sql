-- A watermark of one's own above a source whose watermark has clauses.
CREATE SOURCE reads (
  meter STRING, kwh DOUBLE, region STRING, ts TIMESTAMP,
  WATERMARK FOR ts AS ts PER region IDLE AFTER INTERVAL 30 SECONDS
)
USING parquet OPTIONS (path 'reads');
CREATE VIEW large AS SELECT meter, kwh, ts FROM reads WHERE kwh > 100;
SELECT meter, kwh FROM WATERMARK(large, ts, ts - INTERVAL 5 MINUTES) AS l
WHERE l.ts + INTERVAL 1 HOUR <= WATERMARK_TS();
