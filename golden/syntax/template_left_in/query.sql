-- a template that nobody filled in
SELECT id FROM {{ orders }}
