-- INTERVAL is missing in a watermark
CREATE SOURCE orders (
  id BIGINT, ts TIMESTAMP,
  WATERMARK FOR ts AS ts - 1 MINUTE
);
