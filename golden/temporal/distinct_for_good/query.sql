-- Each hall once, by users that have ever paid: no row leaves again.
CREATE SOURCE badges (id INT, hall STRING) USING parquet OPTIONS (path 'badges');
CREATE SOURCE payments (badge INT, amount INT) USING parquet OPTIONS (path 'payments');
SELECT DISTINCT hall FROM badges AS b
WHERE EXISTS (SELECT 1 FROM payments AS p WHERE p.badge = b.id AND amount > 0);
