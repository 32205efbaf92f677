-- a call of a star is not closed
SELECT count(* FROM orders
