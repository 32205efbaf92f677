-- columns without types
CREATE SOURCE orders (id, ts TIMESTAMP);
