-- Spark's own spelling of a watermark.
CREATE SOURCE rides (pickup TIMESTAMP, zone INT) USING parquet OPTIONS (path 'rides');

SELECT zone FROM STREAM rides WATERMARK pickup DELAY OF INTERVAL 10 SECONDS;
