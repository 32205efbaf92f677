-- a kind of INSERT that tvfc has not
INSERT OVERWRITE report SELECT 1;
