-- a keyword as the name of a source
CREATE SOURCE select (id BIGINT);
