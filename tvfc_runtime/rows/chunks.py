"""Arrow record batches as opaque text, the form in which rows are shuffled and stored.

A state call from Python costs about 0.3 ms however small it is, so rows travel and rest in chunks
of some thousand: one Arrow IPC stream each, compressed, with its schema inside, so that a chunk can
be read without knowing the query. Base64, because Spark hands a STRING of state to Python four
times as fast as a BINARY.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable

import pyarrow as pa

SEPARATOR = "\n"
"""Stands between the chunks of a text that holds several."""

# Fewer bytes pay at each of the sockets between the JVM and Python; level 1 costs no more than LZ4.
OPTIONS = pa.ipc.IpcWriteOptions(compression=pa.Codec("zstd", compression_level=1))


def encode(batch: pa.RecordBatch) -> bytes:
    """Write one record batch as an IPC stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=OPTIONS) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def decode(data: bytes) -> pa.RecordBatch:
    """Read the record batch that `encode` wrote."""
    with pa.ipc.open_stream(data) as reader:
        return reader.read_next_batch()


def to_text(data: bytes) -> str:
    """A chunk as text."""
    return base64.b64encode(data).decode("ascii")


def decode_text(text: str) -> list[pa.RecordBatch]:
    """The record batches of the chunks in a text, whatever heads their lines have."""
    return [decode(base64.b64decode(line.rpartition(" ")[2])) for line in text.split(SEPARATOR)]


def concat(batches: Iterable[pa.RecordBatch]) -> pa.RecordBatch:
    """Join batches of one schema into one."""
    first, *rest = batches
    return pa.concat_batches([first, *rest]) if rest else first
