-- words of EMIT are missing
SELECT id FROM orders EMIT WINDOW CLOSE
