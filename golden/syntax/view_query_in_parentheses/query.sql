-- AS is missing before a query in parentheses
CREATE VIEW recent (SELECT id FROM orders);
