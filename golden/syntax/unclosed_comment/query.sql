-- a comment inside a comment takes the end mark
SELECT id /* price /* was here */ FROM orders
