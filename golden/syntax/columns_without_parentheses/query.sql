-- the columns of a source stand in parentheses
CREATE SOURCE orders id BIGINT, ts TIMESTAMP;
