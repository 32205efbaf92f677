-- AS is missing before the query of a view
CREATE VIEW recent SELECT id FROM orders;
