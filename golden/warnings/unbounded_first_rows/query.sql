-- The first rows of a stream whose rows never leave.
CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts) USING parquet OPTIONS (path 'orders');
CREATE SOURCE bids (id BIGINT, at TIMESTAMP, WATERMARK FOR at AS at) USING parquet OPTIONS (path 'bids');
SELECT id, ts FROM orders QUALIFY row_number() OVER (PARTITION BY id ORDER BY ts DESC) = 1;
