-- Bad rows of a view, and of a table: both have none of their own.
CREATE SOURCE orders (id INT, price INT) USING json OPTIONS (path 'orders');
CREATE TABLE customers (id INT) USING csv OPTIONS (path 'customers');
CREATE VIEW dear AS SELECT * FROM orders WHERE price > 100;
CREATE SINK a USING json OPTIONS (path 'a') AS SELECT * FROM BAD(dear);
SELECT * FROM BAD(customers);
