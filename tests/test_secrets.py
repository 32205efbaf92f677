"""Passwords in options are in the job's options, and nowhere else."""

from __future__ import annotations

import pytest

from compiler import CompileError, compile_script
from compiler.diagnostics import render_all
from compiler.secrets import is_secret, masked
from compiler.source import SourceText

SCRIPT = """CREATE SOURCE s (id INT, token STRING) USING kafka OPTIONS (topic 'x',
  properties.bootstrap.server 'h:1', kafka.sasl.jaas.config 'user="u" password="geheim(";',
  "kafka.ssl.key.password" = "geh\\"eim") FORMAT PLAIN ENCODE AVRO (
  schema.registry = 'http://x', schema.registry.password = 'geheim
')
;
CREATE SINK out USING kafka OPTIONS (topic 'y', kafka.ssl.keystore.key 'geheim') AS
SELECT id FROM s WHERE token = 'kept';"""


def test_no_stage_shows_a_secret() -> None:
    job = compile_script(SourceText("q.sql", SCRIPT))
    for name, text in job.stages.items():
        assert "geh" not in text, name
    # The comment on top goes into the checkpoint, and so does what is kept.
    comment, _, rest = job.text.partition("import sys")
    assert "geh" not in comment
    assert "token = 'kept'" in comment
    state = rest[rest.index("STATE =") : rest.index("JOB =")]
    assert "geh" not in state
    assert "password" not in state
    assert "geheim" in rest


def test_a_password_may_change() -> None:
    """Nothing that is kept depends on it."""
    texts = (SCRIPT, SCRIPT.replace("geheim", "other"))
    states = [compile_script(SourceText("q.sql", text)).text.split("STATE =")[1] for text in texts]
    assert states[0].split("JOB =")[0] == states[1].split("JOB =")[0]


def test_no_message_shows_a_secret() -> None:
    with pytest.raises(CompileError) as caught:
        compile_script(SourceText("q.sql", SCRIPT.replace("topic 'x',", "topics 'x',")))
    text = render_all(caught.value.diagnostics, caught.value.source)
    assert "TVF611" in text or "TVF635" in text
    assert "geh" not in text


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("kafka.sasl.jaas.config", True),
        ("properties.sasl.password", True),
        ("aws.secretKey", True),
        ("topic", False),
        ("kafka.bootstrap.servers", False),
    ],
)
def test_names(name: str, secret: bool) -> None:  # noqa: FBT001
    assert is_secret(name) is secret


def test_places_stay() -> None:
    text = "CREATE SINK s OPTIONS (a.password 'x\ny', b 'c'); SELECT password 'z' FROM t"
    assert masked(text) == text.replace("x\ny", "*\n*")
