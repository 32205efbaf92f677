-- PostgreSQL's operator
SELECT id FROM orders WHERE status ~ 'n.*'
