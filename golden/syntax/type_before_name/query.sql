-- a column's type before its name
CREATE SOURCE orders (INT id);
