-- an option's value without quotes
CREATE SOURCE orders (id INT) USING kafka OPTIONS (topic orders);
