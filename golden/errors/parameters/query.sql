-- A job takes no parameters.
CREATE SOURCE orders (id BIGINT, k STRING) USING parquet OPTIONS (path 'orders');
SELECT id FROM orders WHERE id = :id AND k = ?;
