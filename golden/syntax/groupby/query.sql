-- GROUP BY in one word
SELECT id, count(*) FROM orders GROUPBY id
