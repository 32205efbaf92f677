-- an option without its value
CREATE SOURCE orders (id BIGINT) USING kafka OPTIONS (topic);
