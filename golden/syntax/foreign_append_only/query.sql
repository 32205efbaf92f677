-- RisingWave's word for a source that grows
CREATE SOURCE orders (id INT) APPEND ONLY;
