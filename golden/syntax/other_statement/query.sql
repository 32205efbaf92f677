-- a statement that tvfc has not
DROP TABLE orders;
