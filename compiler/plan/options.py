"""Options of sources and sinks that their formats do not have: Spark would pass over them."""

from __future__ import annotations

from collections.abc import Sequence

from compiler.diagnostics import suggest
from compiler.plan.nodes import Sink, Source
from compiler.plan.problems import Problems
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
}
"""What Spark 4.3 and the runtime read, by format; other formats are those of libraries."""

DELIVERIES = ("exactly-once", "at-least-once")

_OF_FILES = frozenset({"parquet", "orc", "text", "csv", "json", "xml"})
_OF_SOURCES = ("badRows", "maxBadRows")
_OF_SINKS = ("key", "primary_key", "mode")
_OF_KAFKA_SINKS = ("delivery", "batchesTopic")


def check_options(place: Source | Sink, problems: Problems) -> None:
    """Options that the format of a source or sink does not have."""
    known = _OPTIONS.get(place.format or "")
    if known is None:
        return
    own: tuple[str, ...] = _OF_SOURCES if isinstance(place, Source) else _OF_SINKS
    if isinstance(place, Sink) and place.format == "kafka":
        own += _OF_KAFKA_SINKS
        check_delivery(place, problems)
    names = {each.lower() for each in (*known, *own)}
    for name, _ in place.options:
        if name.lower() in names or _is_passed_on(name, place.format or ""):
            continue
        _unknown(name, place, (*known, *own), problems)


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
    """Whether an option is a setting of Kafka, or of Hadoop, Parquet or ORC, as `orc.compress`."""
    return name.startswith("kafka.") if form == "kafka" else "." in name and form in _OF_FILES


def _unknown(name: str, place: Source | Sink, known: Sequence[str], problems: Problems) -> None:
    near = suggest(name, known)
    if near is None and place.format == "kafka":
        near = suggest(f"kafka.{name}", ("kafka.bootstrap.servers",))
    problems.add(
        "TVFW611" if near is None else "TVF611",
        f"{place.format} has no option `{name}`",
        place.span,
        "declared with it",
        advice=f"did you mean `{near}`?" if near else "leave it out: nobody reads it",
    )


def refuse_parameter(span: Span, text: str, problems: Problems) -> None:
    """`:name` and `?`, for which a job has no values."""
    problems.add(
        "TVF212",
        f"the parameter `{text}` has no value",
        span,
        "a file is the whole query",
        advice="write the value itself, or fill in the file before tvfc reads it",
    )
