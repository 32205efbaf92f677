-- nothing behind WHERE
SELECT id FROM orders WHERE GROUP BY id
