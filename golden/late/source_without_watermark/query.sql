-- Without a watermark no row is late.
CREATE SOURCE notes (id BIGINT, at TIMESTAMP) USING json OPTIONS (path 'notes');

SELECT id FROM LATE(notes);
