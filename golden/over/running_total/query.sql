-- A frame from the first row of all keeps every row, which draws a warning.
CREATE SOURCE sales (shop STRING, ts TIMESTAMP, amount INT, WATERMARK FOR ts AS ts)
USING parquet OPTIONS (path 'sales');
SELECT shop, ts, sum(amount) OVER (PARTITION BY shop ORDER BY ts) AS total
FROM sales EMIT ON WINDOW CLOSE;
