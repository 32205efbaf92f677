-- what a file creates has a plain name
CREATE VIEW shop.recent AS SELECT * FROM orders;
