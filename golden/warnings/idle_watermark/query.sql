-- A watermark in a query on the wall clock.
CREATE SOURCE sales (shop STRING, amount INT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'sales');
SELECT shop FROM sales WHERE mz_now() < ts + INTERVAL 1 HOUR;
