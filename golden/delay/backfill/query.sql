-- A source whose history lies in files, read before what is live.
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING kafka OPTIONS (topic 'orders', kafka.bootstrap.servers 'broker:9092', startingOffsets 'earliest',
  backfill 'parquet', backfill.path 'lake/orders', backfill.maxFilesPerTrigger '100');
CREATE SINK due USING parquet OPTIONS (path 'due') AS
SELECT id FROM orders WHERE ts + INTERVAL 5 SECONDS <= WATERMARK_TS();
