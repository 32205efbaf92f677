-- WATERMARK FOR behind the parentheses
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP)
WATERMARK FOR ts AS ts;
