-- a source made of a query
CREATE SOURCE orders AS SELECT 1;
