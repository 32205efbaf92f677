-- A watermark lags behind its column; these are ahead of it.
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts + INTERVAL 5 MINUTES)
USING parquet OPTIONS (path 'orders');
CREATE SOURCE ticks (id BIGINT, ms BIGINT, WATERMARK FOR ms AS ms + 60 * 1000)
USING parquet OPTIONS (path 'ticks');
CREATE SINK a USING parquet OPTIONS (path 'a') AS SELECT id FROM orders;
SELECT id FROM ticks;
