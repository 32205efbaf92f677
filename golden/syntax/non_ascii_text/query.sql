-- markers stand under wide characters
SELECT '日本語' AS name, 'ß' FORM orders
