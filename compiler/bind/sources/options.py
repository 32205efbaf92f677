"""Options of sources and sinks that their formats do not have: Spark would pass over them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compiler.bind.sources.plugins import SINKS, SOURCES, plugin_of
from compiler.diagnostics import suggest
from compiler.diagnostics.problems import Problems
from compiler.plan.nodes import Sink, Source
from compiler.source import Span

_FILES = (
    *("path", "maxFilesPerTrigger", "maxBytesPerTrigger", "latestFirst", "fileNameOnly"),
    *("maxFileAge", "maxCachedFiles", "cleanSource", "sourceArchiveDir", "pathGlobFilter"),
    *("recursiveFileLookup", "modifiedBefore", "modifiedAfter", "ignoreCorruptFiles"),
    *("ignoreMissingFiles", "mergeSchema", "compression", "partitionOverwriteMode", "basePath"),
    *("retention", "discardCachedInputRatio", "archivePathFilter", "ignoredPathSegmentRegex"),
    *("ignoreInvalidPartitionPaths",),
)
_TEXTS = (
    *("encoding", "charset", "lineSep", "mode", "columnNameOfCorruptRecord", "locale", "timeZone"),
    *("dateFormat", "timestampFormat", "timestampNTZFormat", "timeFormat", "samplingRatio"),
    *("inferSchema", "enableDateTimeParsingFallback", "preferDate", "singleVariantColumn"),
)
_CSV = (
    *("sep", "delimiter", "quote", "escape", "comment", "header", "enforceSchema", "nullValue"),
    *("ignoreLeadingWhiteSpace", "ignoreTrailingWhiteSpace", "nanValue", "positiveInf"),
    *("negativeInf", "maxColumns", "maxCharsPerColumn", "charToEscapeQuoteEscaping", "multiLine"),
    *("emptyValue", "unescapedQuoteHandling", "quoteAll", "escapeQuotes", "extension"),
    *("inputBufferSize", "columnPruning", "codec"),
)
_JSON = (
    *("primitivesAsString", "prefersDecimal", "allowComments", "allowUnquotedFieldNames"),
    *("allowSingleQuotes", "allowNumericLeadingZeros", "allowNonNumericNumbers", "multiLine"),
    *("allowBackslashEscapingAnyCharacter", "allowUnquotedControlChars", "dropFieldIfAllNull"),
    *("ignoreNullFields", "writeNonAsciiCharacterAsCodePoint", "maxNestingDepth", "maxNumLen"),
    *("maxStringLen", "useUnsafeRow", "pretty", "sortKeys", "inferTimestamp"),
)
_XML = (
    *(
        "rowTag",
        "rootTag",
        "declaration",
        "attributePrefix",
        "valueTag",
        "nullValue",
        "arrayElementName",
    ),
    *(
        "excludeAttribute",
        "ignoreSurroundingSpaces",
        "rowValidationXSDPath",
    ),
    *(
        "ignoreNamespace",
        "wildcardColName",
        "validateName",
        "indent",
        "multiLine",
        "useLegacyXMLParser",
        "prefersDecimal",
    ),
)
_KAFKA = (
    *("topic", "assign", "subscribe", "subscribePattern", "startingOffsets", "endingOffsets"),
    *("startingTimestamp", "endingTimestamp", "startingOffsetsByTimestamp", "failOnDataLoss"),
    *("endingOffsetsByTimestamp", "startingOffsetsByTimestampStrategy", "maxOffsetsPerTrigger"),
    *(
        "minOffsetsPerTrigger",
        "maxTriggerDelay",
        "minPartitions",
        "groupIdPrefix",
        "includeHeaders",
    ),
    *("kafkaConsumer.pollTimeoutMs", "fetchOffset.numRetries", "fetchOffset.retryIntervalMs"),
    *("maxRecordsPerPartition", "asyncProgressTrackingEnabled"),
)
_OPTIONS: dict[str, tuple[str, ...]] = {
    "parquet": (*_FILES, "datetimeRebaseMode", "int96RebaseMode"),
    "orc": _FILES,
    "text": (*_FILES, "wholetext", "lineSep", "encoding"),
    "csv": (*_FILES, *_TEXTS, *_CSV),
    "json": (*_FILES, *_TEXTS, *_JSON),
    "xml": (*_FILES, *_TEXTS, *_XML),
    "kafka": _KAFKA,
    "rate": ("rowsPerSecond", "rampUpTime", "numPartitions"),
    "rate-micro-batch": (
        "rowsPerBatch",
        "numPartitions",
        "startTimestamp",
        "advanceMillisPerBatch",
    ),
    "socket": ("host", "port", "includeTimestamp", "numPartitions"),
    "console": ("numRows", "truncate"),
    "sqlite": ("path", "table"),
    "duckdb": ("path", "table", "shared"),
    "postgres": (
        *("url", "host", "port", "database", "user", "password", "sslmode", "sslrootcert"),
        *("table", "shared"),
    ),
    "delta": ("path", "partitionBy", "mergeSchema", "shared"),
    "iceberg": ("table", "catalog", "partitionBy", "mergeSchema", "shared"),
}
"""What Spark 4.3 and the runtime read, by format; other formats are those of libraries."""

HISTORY = "backfill"
"""What the names of options begin with that are those of a source's history."""

Options = Sequence[tuple[str, str]]

DELIVERIES = ("exactly-once", "at-least-once")

TEXT_OPTIONS = {"json": (*_TEXTS, *_JSON), "csv": (*_TEXTS, *_CSV)}
"""What Spark reads of a record of JSON or CSV that is a value, by encoding."""

_OF_FILES = frozenset({"parquet", "orc", "text", "csv", "json", "xml"})
_PASSED_ON = {"kafka": "kafka.", "delta": "storage.", "iceberg": "catalog."}
"""Beginnings of options that are settings of a library."""

_OF_SPARK = frozenset({"delta", "iceberg"})
"""Formats whose sources are those of Spark's own libraries, with options of their own."""

_OF_SOURCES = ("badRows", "maxBadRows")
_OF_SINKS = ("key", "primary_key", "mode")
_OF_KAFKA_SINKS = ("delivery", "batchesTopic")


def check_options(place: Source | Sink, problems: Problems) -> None:
    """Options that the format of a source or sink does not have."""
    _warn_of_password(place, problems)
    plugin = plugin_of(SOURCES if isinstance(place, Source) else SINKS, place.format)
    known = _OPTIONS.get(place.format or "") if plugin is None else plugin.options
    if known is None or (isinstance(place, Source) and place.format in _OF_SPARK):
        return
    own: tuple[str, ...] = _OF_SOURCES if isinstance(place, Source) else _OF_SINKS
    if isinstance(place, Sink) and place.format == "kafka":
        own += _OF_KAFKA_SINKS
        check_delivery(place, problems)
    of_history = isinstance(place, Source)
    options = [
        each for each in place.options if not (of_history and each[0].lower().startswith(HISTORY))
    ]
    _refuse_unknown(place, place.format or "", options, (*known, *own), problems)


def check_history_options(source: Source, form: str, options: Options, problems: Problems) -> None:
    """Options of a source's history that the format of that does not have."""
    _refuse_unknown(source, form, options, _OPTIONS[form], problems)


def _refuse_unknown(
    place: Source | Sink, form: str, options: Options, known: Sequence[str], problems: Problems
) -> None:
    names = {each.lower() for each in known}
    for name, _ in options:
        if name.lower() not in names and not _is_passed_on(name, form):
            _unknown(name, place, form, known, problems)


def check_variables(place: Source | Sink, problems: Problems) -> None:
    """`${…}` in the value of an option is an environment variable."""
    encoded = place.record.options if place.record is not None else ()
    for key, value in (*place.options, *encoded):
        wrong = _NO_VARIABLE.search(value)
        if wrong is not None:
            problems.add(
                "TVF671",
                f"the option `{key}` has `{wrong[0]}`, which names no environment variable",
                place.span,
                "declared with it",
                advice="write `${NAME}` with letters, digits and _; `$${` stands for `${` itself",
            )


_NO_VARIABLE = re.compile(r"(?<!\$)\$\{(?![A-Za-z_][A-Za-z0-9_]*\})[^}]{0,40}\}?")


def _warn_of_password(place: Source | Sink, problems: Problems) -> None:
    """A password of Postgres in the text of the query; one from the environment is not there."""
    for name, value in place.options:
        is_one = name.lower() == "password" or (
            name.lower() == "url" and re.search(r"//[^/@:]*:[^/@]+@|[?&]password=", value)
        )
        if place.format == "postgres" and is_one and "${" not in value:
            problems.add(
                "TVFW618",
                f"`{place.name}` has a password in the text of the query",
                place.span,
                f"in `{name}`",
                notes=["the text is kept beside the job and in its checkpoint"],
                advice="leave it out, and start the job with PGPASSWORD, or with a file ~/.pgpass",
            )


def check_delivery(sink: Sink, problems: Problems) -> None:
    """How often Kafka may get a record."""
    for name, value in sink.options:
        if name.lower() == "delivery" and value not in DELIVERIES:
            problems.add(
                "TVF641",
                f"there is no delivery `{value}`",
                sink.span,
                "declared with it",
                advice="leave it out, and each record comes exactly once; 'at-least-once' is "
                "Spark's own sink, which may repeat the last batch after a crash",
            )


def _is_passed_on(name: str, form: str) -> bool:
    """Whether an option is a setting of a library, or of Hadoop, Parquet or ORC: `orc.compress`."""
    return (
        name.startswith(_PASSED_ON[form])
        if form in _PASSED_ON
        else "." in name and form in _OF_FILES
    )


def _unknown(
    name: str, place: Source | Sink, form: str, known: Sequence[str], problems: Problems
) -> None:
    near = suggest(name, known)
    if near is None and form == "kafka":
        near = suggest(f"kafka.{name}", ("kafka.bootstrap.servers",))
    problems.add(
        "TVFW611" if near is None else "TVF611",
        f"{form} has no option `{name}`",
        place.span,
        "declared with it",
        advice=f"did you mean `{near}`?" if near else "leave it out: nobody reads it",
    )


def refuse_parameter(span: Span, text: str, problems: Problems) -> None:
    """`:name` for which no value was given, and `?`, which has no name to give one to."""
    problems.add(
        "TVF212",
        f"the parameter `{text}` has no value",
        span,
        "no value",
        advice=f"give one: --param {text[1:]}=…" if text[1:] else "write `:name` or the value",
    )
