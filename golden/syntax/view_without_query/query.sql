-- nothing behind AS
CREATE VIEW recent AS;
