-- options are no JSON
CREATE SOURCE orders (id INT) WITH (connector: 'kafka');
