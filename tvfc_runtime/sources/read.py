"""Reading declared sources: what does not fit the declared columns is marked, row by row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.functions import arrow_udf

from tvfc_runtime.cdc.changelog import counted, with_told
from tvfc_runtime.cdc.records import (
    changes_of,
    is_changelog,
    is_of_images,
    lines_of_files,
    order_in_kafka,
    with_texts,
)
from tvfc_runtime.changing.latest import ORDER
from tvfc_runtime.plugins import SOURCES, plugin_of
from tvfc_runtime.records.bad_rows import BAD, FAULT, FILE, csv_fault, json_fault
from tvfc_runtime.records.read import PARTITION, hidden_of, read_binary, read_bytes, read_csv
from tvfc_runtime.rows.sql_text import quote, text
from tvfc_runtime.sources.csv_by_name import RESULT, Dialect, by_name
from tvfc_runtime.sources.tables_read import read_table, reads
from tvfc_runtime.spec.source import Source, ddl

PARSED_FORMATS = frozenset({"json", "csv", "xml"})
FILE_FORMATS = PARSED_FORMATS | {"parquet", "orc", "avro", "text"}
KAFKA_COLUMNS = frozenset(
    {"key", "value", "topic", "partition", "offset", "timestamp", "timestampType", "headers"}
)
OWN_OPTIONS = frozenset({"badrows", "maxbadrows"})
NOT_FOR_A_RECORD = frozenset({"path", "header", "enforceschema", "multiline", "comment"})
"""Options of CSV files that say nothing of a record."""


def read_source(spark: SparkSession, source: Source) -> DataFrame:
    """The rows of a source, each with `__fault` if it may be that it does not fit.

    Then `__bad` is the record that could not be read, and `__file` says where it stands.
    """
    options = {
        key: value for key, value in source.options.items() if key.lower() not in OWN_OPTIONS
    }
    form = source.format or ""
    if is_changelog(source):
        return counted(read_source(spark, with_told(source)))
    if is_of_images(source) and form != "kafka":
        return changes_of(lines_of_files(spark, source, options), source)
    if form == "kafka":
        reader = spark.read if source.static else spark.readStream
        if "headers" in {*source.columns, *source.included.values()}:
            options |= {"includeHeaders": "true"}
        return _read_kafka(reader.format(form).options(**options).load(), source)
    if source.static and reads(form):
        return read_table(spark, form, source.name, source.schema, options)
    if form == "csv" and (source.option("header") or "").lower() == "true":
        return _read_csv_by_name(spark, source, options)
    if form not in PARSED_FORMATS:
        rows = _load(spark, source, form, source.schema, options)
        may_be_bad = form in FILE_FORMATS and (source.required or source.epoch_ms)
        return rows.select("*", _file()) if may_be_bad else rows
    marks = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": BAD}
    rows = _load(spark, source, form, f"{source.schema}, {BAD} STRING", options | marks)
    fault = {
        "json": json_fault(source),
        "csv": csv_fault(source, BAD, _fields_again(source, BAD, options)),
        "xml": f"CASE WHEN {BAD} IS NOT NULL THEN 'it does not fit the columns' END",
    }
    return rows.select("*", _file(), F.expr(fault[form]).alias(FAULT))


def _load(
    spark: SparkSession, source: Source, form: str, schema: str, options: Mapping[str, str]
) -> DataFrame:
    plugin = plugin_of(SOURCES, form)
    if plugin is not None:
        spark.dataSource.register(plugin.data_source())
    reader: Any = spark.read if source.static else spark.readStream
    return reader.format(form).schema(schema).options(**options).load()


def _file() -> Any:
    return F.col("_metadata.file_path").alias(FILE)


def _read_csv_by_name(spark: SparkSession, source: Source, options: Mapping[str, str]) -> DataFrame:
    """The columns of each file by its header; see csv_by_name.py."""
    convert = by_name([*source.columns], Dialect.of({k.lower(): v for k, v in options.items()}))
    # Lines in order, the first one of a file before the others.
    in_order: Any = arrow_udf(convert, RESULT)  # type: ignore[call-overload]
    in_order = in_order.asNondeterministic()
    lines = _lines(spark, source, options)
    named = lines.select("*", in_order(FILE, "__at", "__line").alias("__named")).where(
        "__named.keep"
    )
    parsed = F.from_csv(
        F.expr("nullif(__named.record, '')"),
        f"{source.schema}, {BAD} STRING",
        _of_a_record(options) | {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": BAD},
    )
    rows = named.select(FILE, "__line", "__named", parsed.alias("__row"))
    columns = [f"__row.{quote(name)}" for name in source.columns]
    rows = rows.select(*columns, FILE, "__line", "__named", f"__row.{BAD}")
    fault = csv_fault(source, BAD, _fields_again(source, BAD, options))
    rows = rows.select("*", F.expr(f"coalesce(__named.fault, {fault})").alias(FAULT))
    bad = F.when(F.col(FAULT).isNotNull(), F.col("__line")).alias(BAD)
    return rows.select(*(quote(name) for name in source.columns), FILE, FAULT, bad)


def _lines(spark: SparkSession, source: Source, options: Mapping[str, str]) -> DataFrame:
    """The lines of CSV files as they stand there, and of what part of which file they are."""
    named = {key.lower(): value.lower() for key, value in options.items()}
    encoding = named.get("encoding", named.get("charset", "utf-8"))
    if named.get("multiline") != "true" and encoding in ("utf-8", "utf8"):
        lines = _load(spark, source, "text", "__line STRING", options)
        line = F.col("__line")
    else:
        # Records of more lines than one, or of other characters, are Spark's CSV reader's to find.
        # Only what does not fit keeps its text: all but records of two fields.
        given = {k: v for k, v in options.items() if k.lower() not in ("header", "enforceschema")}
        given |= {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": BAD}
        schema = f"__c0 STRING, __c1 STRING, {BAD} STRING"
        lines = _load(spark, source, "csv", schema, given)
        two = F.to_csv(F.struct("__c0", "__c1"), _of_a_record(options))
        line = F.rtrim(F.coalesce(F.col(BAD), two), F.lit("\r\n"))
    return lines.select(
        line.alias("__line"), _file(), F.col("_metadata.file_block_start").alias("__at")
    )


def _of_a_record(options: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in options.items() if key.lower() not in NOT_FOR_A_RECORD}


def _fields_again(source: Source, record: str, options: Mapping[str, str]) -> str:
    """The fields of a CSV record as texts, SQL."""
    names = ", ".join(f"{quote(name)} STRING" for name in source.columns)
    given = _of_a_record(options) | {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": BAD}
    pairs = ", ".join(f"{text(key)}, {text(value)}" for key, value in given.items())
    return f"from_csv({record}, {text(f'{names}, {BAD} STRING')}, map({pairs}))"


def _read_kafka(records: DataFrame, source: Source) -> DataFrame:
    """The columns of a source: the fields of a record's value, and what it includes of the record.

    Without a FORMAT, a source that declares none but columns of Kafka's has those, and no value to
    take apart.
    """
    beside = [F.col(what).alias(name) for name, what in source.included.items()]
    hidden = [] if source.static else [F.expr("concat(topic, '/', partition)").alias(PARTITION)]
    if source.record is None and set(source.fields) <= KAFKA_COLUMNS:
        own = [F.col(name).cast(kind).alias(name) for name, kind in source.fields.items()]
        rows = records.select(*own, *beside, *hidden)
        return rows.select(*map(quote, source.columns), *(PARTITION for _ in hidden))
    place = "concat(topic, '/', partition, '@', offset)"
    if is_of_images(source):
        order = F.expr(order_in_kafka()).alias(ORDER)
        placed = records.select("value", "key", F.expr(place).alias(FILE), order, *beside)
        return changes_of(with_texts(placed, source), source)
    placed = records.select("value", F.expr(place).alias(FILE), *beside, *hidden)
    encode = source.record.encode if source.record is not None else "json"
    read = {"json": parse_json, "csv": read_csv, "bytes": read_bytes}.get(encode, read_binary)
    return read(placed, source)


def parse_json(records: DataFrame, source: Source) -> DataFrame:
    """The declared columns out of the JSON in `value`."""
    given = source.record.options if source.record is not None else {}
    options = {**given, "mode": "PERMISSIVE", "columnNameOfCorruptRecord": BAD}
    parsed = F.from_json(
        F.col("value").cast("string"), f"{ddl(source.fields)}, {BAD} STRING", options
    )
    place = [FILE] if FILE in records.columns else []
    beside = [*map(quote, source.included), *hidden_of(records)]
    is_null = F.col("value").isNull().alias("__is_null")
    rows = records.select(is_null, *place, *beside, parsed.alias("__row"))
    columns = [
        quote(name) if name in source.included else f"__row.{quote(name)}"
        for name in source.columns
    ]
    # Blanks alone are no row to Spark, and no bad one either.
    bad = F.expr(f"IF(__row IS NULL AND NOT __is_null, '', __row.{BAD})").alias(BAD)
    rows = rows.select("__is_null", *place, *columns, bad, *hidden_of(records))
    fault = (
        f"CASE WHEN __is_null THEN 'it has no value' WHEN {BAD} = '' THEN 'it is empty' "
        f"ELSE {json_fault(source)} END"
    )
    return rows.select("*", F.expr(fault).alias(FAULT)).drop("__is_null")
