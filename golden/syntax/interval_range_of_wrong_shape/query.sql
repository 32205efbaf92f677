-- the text of an interval range has not its fields
SELECT INTERVAL '90' HOUR TO MINUTE
