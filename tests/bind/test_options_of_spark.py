"""The options that we know of a format are those that the classes of the installed Spark name."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from zipfile import ZipFile

import pyspark
import pytest

from compiler.bind.sources.options import _CSV, _JSON, _OPTIONS, _TEXTS, _XML

JARS = Path(pyspark.__file__).parent / "jars"
CATALYST, CORE = "spark-catalyst_*", "spark-sql_*"
CLASSES = "org/apache/spark/sql"
OF_FILES = (
    (CATALYST, f"{CLASSES}/catalyst/FileSourceOptions$"),
    (CORE, f"{CLASSES}/execution/streaming/.*FileStreamOptions"),
    (CORE, f"{CLASSES}/execution/streaming/.*FileStreamSink"),
    (CORE, f"{CLASSES}/execution/datasources/FileIndexOptions$"),
)
OF_FORMATS = {
    "csv": ((CATALYST, f"{CLASSES}/catalyst/csv/CSVOptions$"), *OF_FILES),
    "json": (
        (CATALYST, f"{CLASSES}/catalyst/json/JSONOptions$"),
        (CATALYST, f"{CLASSES}/catalyst/json/JSONOptions"),
        *OF_FILES,
    ),
    "xml": ((CATALYST, f"{CLASSES}/catalyst/xml/XmlOptions$"), *OF_FILES),
    "parquet": ((CORE, f"{CLASSES}/execution/datasources/parquet/ParquetOptions$"), *OF_FILES),
    "orc": ((CORE, f"{CLASSES}/execution/datasources/orc/OrcOptions$"), *OF_FILES),
    "text": ((CORE, f"{CLASSES}/execution/datasources/text/TextOptions$"), *OF_FILES),
}
NO_OPTIONS = {"item", "xs_any", "row", "rows", "jsonoptions", "native"}
"""Other texts in these classes: defaults, and names of classes."""

OF_ONE_FORMAT = {"csv": _CSV, "json": _JSON, "xml": _XML}
ELSEWHERE = {"columnnameofcorruptrecord", "extension"}
"""Options that Spark names in other classes."""


def texts_of(jar: str, name: str) -> Iterator[str]:
    """The string constants of the classes whose path is so, `.*` aside."""
    pattern = re.compile(f"{re.escape(name).replace(re.escape('.*'), '.*')}\\.class")
    with ZipFile(next(JARS.glob(f"{jar}.jar"))) as archive:
        for each in archive.namelist():
            if pattern.fullmatch(each):
                yield from constants(archive.read(each))


def constants(data: bytes) -> Iterator[str]:
    """The string constants in the pool of a class file."""
    at, number = 10, 1
    words: dict[int, str] = {}
    strings: list[int] = []
    while number < struct.unpack_from(">H", data, 8)[0]:
        tag, step = data[at], 1
        if tag == 1:
            length = struct.unpack_from(">H", data, at + 1)[0]
            words[number] = data[at + 3 : at + 3 + length].decode(errors="replace")
            at += 3 + length
        elif tag in (7, 8, 16, 19, 20):
            if tag == 8:
                strings.append(struct.unpack_from(">H", data, at + 1)[0])
            at += 3
        else:
            step = 2 if tag in (5, 6) else 1
            at += {5: 9, 6: 9, 15: 4}.get(tag, 5)
        number += step
    return (words[each] for each in strings)


@cache
def options_of(form: str) -> set[str]:
    """What may be options of a format by its look, in lower case."""
    found = {text for jar, name in OF_FORMATS[form] for text in texts_of(jar, name)}
    return {each.lower() for each in found if re.fullmatch(r"[a-z]\w{2,}", each)} - NO_OPTIONS


@pytest.mark.slow
@pytest.mark.parametrize("form", OF_FORMATS)
def test_each_option_of_spark_is_known(form: str) -> None:
    found = options_of(form)
    assert {"cleansource", "compression"} <= found
    assert found - {each.lower() for each in _OPTIONS[form]} == set()


@pytest.mark.parametrize("form", OF_ONE_FORMAT)
def test_no_other_option_is_known(form: str) -> None:
    ours = {each.lower() for each in OF_ONE_FORMAT[form]}
    assert ours - options_of(form) - ELSEWHERE == set()


def test_options_of_texts_are_those_of_some_format() -> None:
    found = options_of("csv") | options_of("json") | options_of("xml")
    assert {each.lower() for each in _TEXTS} - found - ELSEWHERE == set()
