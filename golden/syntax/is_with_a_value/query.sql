-- IS compares with no value
SELECT id FROM orders WHERE status IS 'new'
