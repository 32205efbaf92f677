-- GROUP BY as an operator of a pipe
FROM orders |> GROUP BY status
