-- PostgreSQL's way to a field
SELECT payload -> 'price' FROM orders
