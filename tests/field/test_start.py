"""What a job is told when it starts: environment variables, options, settings, parameters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import tvfc_runtime
from compiler import compile_script
from compiler.source import SourceText
from scenario.job_module import load_job
from tvfc_runtime.job.arguments import parse_arguments
from tvfc_runtime.reports.reasons import FAILURES, reason
from tvfc_runtime.sources.at_start import AtStart, StartError, given_options

QUERY = """CREATE SOURCE orders (id BIGINT, ts TIMESTAMP, WATERMARK FOR ts AS ts)
USING csv OPTIONS (path '${DATA_DIR}/orders', header 'false', sep '${SEPARATOR}');
CREATE TABLE names (id BIGINT, name STRING)
USING json OPTIONS (path '${DATA_DIR}/names');
CREATE SINK out USING json OPTIONS (path '${OUT}') AS
SELECT o.id, name FROM orders AS o JOIN names AS n ON o.id = n.id;
"""
SECRET = "hidden-3f9a"


def spec_of(folder: Path, query: str = QUERY) -> tvfc_runtime.JobSpec:
    job = compile_script(SourceText("query.sql", query))
    spec: tvfc_runtime.JobSpec = load_job(job.text, folder / "job.py").JOB
    return spec


def environment(folder: Path) -> dict[str, str]:
    return {"DATA_DIR": str(folder / SECRET), "SEPARATOR": "|", "OUT": str(folder / "out")}


def feed(folder: Path, name: str, *lines: str) -> None:
    (folder / "orders").mkdir(parents=True, exist_ok=True)
    (folder / "names").mkdir(exist_ok=True)
    (folder / "orders" / name).write_text("\n".join(lines), encoding="utf-8")
    names = [json.dumps({"id": each, "name": f"n{each}"}) for each in range(9)]
    (folder / "names/all.json").write_text("\n".join(names), encoding="utf-8")


def run(spark: SparkSession, folder: Path, at_start: AtStart) -> None:
    spec = spec_of(folder)
    job = tvfc_runtime.Job(spark, str(folder / "cp"), at_start=at_start)
    query = tvfc_runtime.start(job, spec, spec.outputs, availableNow=True)
    assert query.awaitTermination(120)


def ids(spark: SparkSession, place: Path) -> list[int]:
    return sorted(row.id for row in spark.read.schema("id BIGINT").json(str(place)).collect())


@pytest.mark.spark
def test_variables_are_put_in_at_the_start_and_paths_may_move(
    spark: SparkSession, tmp_path: Path
) -> None:
    at_start = AtStart(environment=environment(tmp_path))
    feed(tmp_path / SECRET, "1.csv", "1|2026-01-01 12:00:00")
    run(spark, tmp_path, at_start)
    assert ids(spark, tmp_path / "out") == [1]
    written = [path for path in (tmp_path / "cp/tvfc").rglob("*") if path.is_file()]
    assert {path.name for path in written} >= {"query.json", "operators.json"}
    assert not [path for path in written if SECRET in path.read_text(encoding="utf-8")]

    # Spark knows the files that it has read by their paths.
    moved = AtStart(environment={**environment(tmp_path), "DATA_DIR": str(tmp_path / "elsewhere")})
    feed(tmp_path / "elsewhere", "2.csv", "2|2026-01-01 12:00:01")
    with pytest.raises(FAILURES) as error:
        run(spark, tmp_path, moved)
    assert reason(error.value).startswith("TVF734")
    feed(tmp_path / SECRET, "2.csv", "2|2026-01-01 12:00:01")
    feed(tmp_path / SECRET, "3.csv", "3|2026-01-01 12:00:02")
    known = environment(tmp_path)
    run(
        spark, tmp_path, AtStart(environment=known, options={"orders": {"MAXFILESPERTRIGGER": "1"}})
    )
    assert ids(spark, tmp_path / "out") == [1, 2, 3]

    # What says how rows are read belongs to the query: another value is another query.
    with pytest.raises(tvfc_runtime.CheckpointError, match="TVF701") as refused:
        run(spark, tmp_path, AtStart(environment=known, options={"orders": {"sep": SECRET}}))
    assert "sep" in reason(refused.value)
    assert SECRET not in reason(refused.value)


def test_what_is_not_there_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    spec = spec_of(tmp_path)
    known = environment(tmp_path)
    AtStart(environment=known).check(spec)
    for name, option in (("DATA_DIR", "path"), ("SEPARATOR", "sep"), ("OUT", "path")):
        least = {key: value for key, value in known.items() if key != name}
        with pytest.raises(StartError, match=f"TVF731: .* {name} is not set; .*`{option}`"):
            AtStart(environment=least).check(spec)
    given = given_options(["orders.path=/a=b", "orders.sep=;", "OUT.path=/o"], spec)
    assert given == {"orders": {"path": "/a=b", "sep": ";"}, "out": {"path": "/o"}}
    AtStart(environment={"DATA_DIR": "/d"}, options=given).check(spec)
    for text, message in (
        ("orders.path", "not of the form"),
        ("path=/a", "not of the form"),
        ("orders.=x", "not of the form"),
        ("ordrs.path=/a", "did you mean `orders`"),
        ("zzz.path=/a", "there are names, orders, out"),
    ):
        with pytest.raises(StartError, match=f"TVF732: .*{message}"):
            given_options([text], spec)
    source = tvfc_runtime.Source(name="o", columns={}, options={"Path": "/a", "x": "$${y}"})
    for key, message in (("pth", "did you mean `Path`"), ("zzz", "it declares Path, x")):
        with pytest.raises(StartError, match=f"TVF732: o declares no option `{key}`; {message}"):
            AtStart(options={"o": {key: "1"}}).settled(source)
    settled = AtStart(options={"o": {"PATH": "${b}"}}).settled(source)
    assert settled.options == {"Path": "${b}", "x": "${y}"}


def test_options_of_records_have_variables_too() -> None:
    record = tvfc_runtime.RecordFormat(form="debezium", options={"table.name": "${TABLE}"})
    source = tvfc_runtime.Source(name="o", columns={"id": "INT"}, key=("id",), record=record)
    settled = AtStart(environment={"TABLE": "orders"}).settled(source)
    assert settled.record is not None
    assert settled.record.options == {"table.name": "orders"}
    with pytest.raises(StartError, match=r"TVF731: .* TABLE is not set; .*`table\.name` of ENCODE"):
        AtStart(environment={}).settled(source)


def test_changes_are_not_read_in_pieces_and_topic_is_subscribe() -> None:
    files = tvfc_runtime.Source(name="o", columns={}, options={"path": "o"}, key=("id",))
    with pytest.raises(StartError, match=r"TVF732: .* changes of o may come out of order"):
        AtStart(options={"o": {"maxFilesPerTrigger": "1"}}).settled(files)
    topic = tvfc_runtime.Source(
        name="o", columns={}, format="kafka", options={"subscribe": "a"}, key=("id",)
    )
    settled = AtStart(options={"o": {"topic": "b", "maxOffsetsPerTrigger": "5"}}).settled(topic)
    assert settled.options == {"subscribe": "b", "maxOffsetsPerTrigger": "5"}


@pytest.mark.spark
def test_a_start_that_is_refused_leaves_the_checkpoint_free(
    spark: SparkSession, tmp_path: Path
) -> None:
    feed(tmp_path / SECRET, "a.csv", "1,2024-01-01")
    known = AtStart(environment=environment(tmp_path))
    with pytest.raises(StartError, match="TVF732"):
        run(spark, tmp_path, replace(known, options={"orders": {"pth": "/a"}}))
    assert not (tmp_path / "cp/tvfc/query.json").exists()
    run(spark, tmp_path, replace(known, options={"orders": {"sep": ","}}))


@pytest.mark.spark
def test_a_connector_that_is_missing_is_named(spark: SparkSession, tmp_path: Path) -> None:
    query = QUERY.replace("USING csv", "USING mongodb")
    spec = spec_of(tmp_path, query)
    job = tvfc_runtime.Job(
        spark, str(tmp_path / "cp"), at_start=AtStart(environment=environment(tmp_path))
    )
    with pytest.raises(FAILURES) as error:
        tvfc_runtime.start(job, spec, spec.outputs)
    assert reason(error.value).startswith("TVF736")


def test_a_job_takes_settings_where_they_have_an_effect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = spec_of(tmp_path)
    line = ["--checkpoint", "cp", "--conf", "spark.a=b=c", "--option", "orders.sep=;"]
    packages = ["--packages", "g:a:1", "--packages", "g:b:2", "--jars", "x.jar"]
    given = parse_arguments(spec, [*line, *packages, "--master", "local[2]"])
    assert given.option == ("orders.sep=;",)
    assert given.settings == {
        "spark.a": "b=c",
        "spark.jars.packages": "g:a:1,g:b:2",
        "spark.jars": "x.jar",
        "spark.master": "local[2]",
    }
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    assert parse_arguments(spec, line).settings == {"spark.a": "b=c"}
    with pytest.raises(SystemExit):
        parse_arguments(spec, [*line, *packages])
    assert "write them before job.py" in capsys.readouterr().err


@pytest.mark.spark
@pytest.mark.field
def test_a_query_is_run_with_all_of_it(tmp_path: Path) -> None:
    query = QUERY.replace("o.id = n.id", "o.id = n.id AND name <> :name")
    query = query[: query.index("CREATE SINK")] + query[query.index("SELECT") :]
    (tmp_path / "query.sql").write_text(query, encoding="utf-8")
    feed(tmp_path / "data", "1.csv", "1;2026-01-01 12:00:00", "2;2026-01-01 12:00:00")
    command = [sys.executable, "-m", "cli", "run", "query.sql", "--available-now"]
    values = ["--param", "name='n1'", "--option", "orders.sep=;"]
    settings = ["--conf", "spark.sql.shuffle.partitions=3", "--conf", "spark.master=local[1]"]
    done = subprocess.run(
        [*command, *values, *settings, "--checkpoint", "cp"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "DATA_DIR": "data"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, '{"id":2,"name":"n2"}\n'), done.stderr
    facts = json.loads((tmp_path / "cp/offsets/0").read_text(encoding="utf-8").split("\n")[1])
    assert facts["conf"]["spark.sql.shuffle.partitions"] == "3"
