-- an element access is not closed
SELECT tags[0 FROM orders
