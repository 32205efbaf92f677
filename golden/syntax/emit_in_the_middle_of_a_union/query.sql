-- EMIT belongs to the whole set operation
SELECT id FROM a EMIT ON WINDOW CLOSE
UNION ALL
SELECT id FROM b
