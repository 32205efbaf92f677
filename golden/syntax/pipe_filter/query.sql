-- an operator that pipes have not
FROM orders |> FILTER price > 10
