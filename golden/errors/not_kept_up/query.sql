-- An aggregate that cannot be kept up, and a numbering of all rows.
CREATE SOURCE sales (shop STRING, amount INT, ts TIMESTAMP) USING parquet OPTIONS (path 'sales');
CREATE VIEW spread AS SELECT shop, last(amount) FROM sales GROUP BY shop;
SELECT shop, row_number() OVER (ORDER BY amount) AS place FROM sales WHERE mz_now() < ts;
