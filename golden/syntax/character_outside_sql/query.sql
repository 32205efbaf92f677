-- a sign that SQL has not
SELECT id # 2 FROM orders
