-- a kind of join without the word JOIN
SELECT id FROM orders o LEFT OUTER customers c ON o.id = c.id
