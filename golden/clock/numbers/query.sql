-- Numbers are epoch milliseconds.
CREATE SOURCE readings (
  sensor STRING, at BIGINT, seconds DOUBLE,
  WATERMARK FOR at AS at - 500
) USING json OPTIONS (path 'readings');

SELECT sensor
FROM readings
WHERE WATERMARK_TS() >= at AND WATERMARK_TS() > seconds * 1000 AND WATERMARK_TS() >= 1700000000000;
