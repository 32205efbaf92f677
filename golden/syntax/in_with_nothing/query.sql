-- an empty list
SELECT id FROM orders WHERE id IN ()
