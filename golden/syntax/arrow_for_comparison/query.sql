-- an arrow for a comparison
SELECT id FROM orders WHERE price => 10
