-- An option that no format of this name reads; formats of libraries have their own.
CREATE SOURCE orders (id BIGINT) USING parquet OPTIONS (path 'orders', tenant 'acme');
CREATE SOURCE others (id BIGINT) USING delta OPTIONS (path 'others', tenant 'acme');
SELECT id FROM orders UNION ALL SELECT id FROM others;
