"""The state of a query's operators, read by Spark's own reader of state stores; never written.

Spark copies what it reads to a folder of its own; from a store of another machine it is copied
before, as a Spark of this one may not know that store. A batch that is asked for is read as it was,
whatever the job does meanwhile.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from commands.inside.at_hand import NotAtHandError, at_hand
from tvfc_runtime.checkpoint.storage import list_names, list_numbers
from tvfc_runtime.counters.progress import NATIVE

if TYPE_CHECKING:
    from collections.abc import Collection

    from pyspark.sql import SparkSession


class StateError(Exception):
    """State that cannot be read; the message says why."""


@dataclass(frozen=True)
class Texts:
    """The state of an operator of the runtime.

    Attributes:
        number: Spark's number of the operator.
        variable: the state variable, `entries` or `kept`.
        table: `shard`, `partition_id`, of maps the parts of the key, and `text`.
    """

    number: int
    variable: str
    table: pa.Table


@dataclass(frozen=True)
class SparkRows:
    """The state of an operator of Spark's own.

    Attributes:
        number: Spark's number of the operator.
        name: as `tvfc status` calls it: `spark/groups/0`.
        parts: its rows by part; a join has a left and a right side.
    """

    number: int
    name: str
    parts: dict[str, pa.Table] = field(default_factory=dict)


def newest_batch(place: str) -> int:
    """The last batch of a checkpoint that is done.

    Raises:
        StateError: there is none.
    """
    done = list_numbers(f"{place}/commits")
    if not done:
        raise StateError(f"{place} has no batch that is done, so that nothing is held yet")
    return max(done)


def read_state(
    spark: SparkSession, place: str, batch: int, numbers: Collection[int] | None = None
) -> list[Texts | SparkRows]:
    """What each stateful operator of a query held after a batch, in Spark's order.

    Args:
        spark: a session.
        place: the checkpoint of the query.
        batch: the number of the batch.
        numbers: those of the operators that are asked for; None: all.

    Raises:
        StateError: that batch is not kept any more, or its state cannot be read.
    """
    if not list_names(f"{place}/state"):
        return []
    try:
        with at_hand(place, batch) as location:
            reader = spark.read.format("state-metadata").option("batchId", batch)
            operators = reader.load(location).collect()
            kinds: dict[str, int] = {}
            return [
                _operator(spark, location, batch, each, kinds)
                for each in sorted(_once(operators), key=lambda each: each.operatorId)
                if numbers is None or each.operatorId in numbers
            ]
    except (NotAtHandError, OSError) as error:
        raise StateError(f"the state of batch {batch} in {place} cannot be read: {error}") from None
    except (PySparkException, Py4JJavaError) as error:
        said = error.java_exception.toString() if isinstance(error, Py4JJavaError) else str(error)
        why = said.strip().partition("\n")[0]
        raise StateError(f"the state of batch {batch} in {place} cannot be read: {why}") from None


def _once(operators: list[Any]) -> list[Any]:
    """Each operator once: a join has a row for each of its stores."""
    return list({each.operatorId: each for each in operators}.values())


def _operator(
    spark: SparkSession, location: str, batch: int, operator: Any, kinds: dict[str, int]
) -> Texts | SparkRows:
    number, name = operator.operatorId, operator.operatorName
    reader = spark.read.format("statestore").option("batchId", batch).option("operatorId", number)
    if name.startswith("transformWithState"):
        known = json.loads(operator.operatorProperties)["stateVariables"]
        (variable,) = (each["stateName"] for each in known if each["stateName"][0] != "$")
        found = reader.option("stateVarName", variable).load(location)
        values = "list_element" if "list_element" in found.columns else "user_map_value"
        keys = ["user_map_key.*"] if "user_map_key" in found.columns else []
        chosen = found.select("key.shard", "partition_id", *keys, f"{values}.text")
        return Texts(number, variable, chosen.where("text <> ''").toArrow())
    kind = NATIVE.get(name, name)
    place = kinds.setdefault(kind, 0)
    kinds[kind] += 1
    sides = ("left", "right") if name == "symmetricHashJoin" else ("",)
    parts = {}
    for side in sides:
        rows = (reader.option("joinSide", side) if side else reader).load(location)
        own = ["value.*"] if rows.schema["value"].dataType.simpleString() != "struct<>" else []
        # A join keeps its keys among its values; of others they are columns of their own.
        parts[side] = rows.select(*([] if side and own else ["key.*"]), *own).toArrow()
    return SparkRows(number, f"spark/{kind}/{place}", parts)
