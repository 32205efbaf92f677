-- A row that is taken back has the time at which it was made.
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, PRIMARY KEY (id), WATERMARK FOR ts AS ts)
USING json OPTIONS (path 'orders') FORMAT UPSERT ENCODE JSON;
SELECT id FROM orders;
