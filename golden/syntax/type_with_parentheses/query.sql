-- a type that takes no length
CREATE SOURCE orders (id INT(11), name STRING);
