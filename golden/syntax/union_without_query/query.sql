-- nothing behind UNION ALL
SELECT id FROM orders UNION ALL
