-- a comma is missing in an IN list
SELECT id FROM orders WHERE status IN ('new' 'paid', 3 4)
