-- an operator of other systems
SELECT id FROM orders WHERE name CONTAINS 'x'
