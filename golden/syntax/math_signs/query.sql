-- signs of a word processor
SELECT id FROM orders WHERE price ≥ 10;
SELECT id， price FROM orders
