-- nothing before an operator
SELECT id FROM orders WHERE = 3
