-- the columns of a view have no types
CREATE VIEW recent (id BIGINT) AS SELECT id FROM orders;
