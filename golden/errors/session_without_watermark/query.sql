-- A session over a source without a watermark.
CREATE SOURCE plain (ts TIMESTAMP, zone STRING) USING parquet OPTIONS (path 'plain');
SELECT zone FROM SESSION(plain, ts, zone, INTERVAL 1 HOUR) EMIT ON WINDOW CLOSE;
