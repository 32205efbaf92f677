"""OPTIONS `kafka.…`, in the names of Kafka's own clients in Java, as librdkafka takes them.

Most names are the same. Values are never shown: passwords are among them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tvfc_runtime.sinks.errors import SinkError

PREFIX = "kafka."

NAMES = {
    "max.request.size": "message.max.bytes",
    "send.buffer.bytes": "socket.send.buffer.bytes",
    "receive.buffer.bytes": "socket.receive.buffer.bytes",
    "ssl.truststore.certificates": "ssl.ca.pem",
    "ssl.keystore.certificate.chain": "ssl.certificate.pem",
    "ssl.keystore.key": "ssl.key.pem",
}
"""Names that are others there, and mean the same."""

UNKNOWN_THERE = frozenset(
    {
        *("max.block.ms", "buffer.memory", "auto.include.jmx.reporter", "metric.reporters"),
        *("metrics.num.samples", "metrics.recording.level", "metrics.sample.window.ms"),
        *("ssl.protocol", "ssl.enabled.protocols", "ssl.truststore.type", "ssl.keystore.type"),
    }
)
"""Names that say how a Java program does it, and nothing of what it does."""

_JAAS = re.compile(
    r"^\s*[\w.]*\.(?:Plain|Scram)LoginModule\s+\w+\s+(?P<options>.*?);?\s*$", re.DOTALL
)
_JAAS_OPTION = re.compile(r'(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";]+))')


def client_settings(sink: str, options: Mapping[str, str]) -> dict[str, str]:
    """The settings of a client.

    Raises:
        SinkError: one of them is another's to say, or has no such form there.
    """
    given = {
        name[len(PREFIX) :].lower(): value
        for name, value in options.items()
        if name.lower().startswith(PREFIX)
    }
    if not given.get("bootstrap.servers", "").strip():
        raise SinkError(
            f"TVF707: sink {sink}: which Kafka is not said; write OPTIONS "
            "(`kafka.bootstrap.servers` 'host:9092', …)"
        )
    if "transactional.id" in given:
        raise SinkError(
            f"TVF707: sink {sink}: leave kafka.transactional.id out; it tells the jobs of two "
            "checkpoints apart, and is made of the checkpoint's own id"
        )
    _stores(sink, given)
    if "sasl.jaas.config" in given:
        given |= _login(sink, given.pop("sasl.jaas.config"))
    return {
        NAMES.get(name, name): value for name, value in given.items() if name not in UNKNOWN_THERE
    }


def _stores(sink: str, given: dict[str, str]) -> None:
    """Certificates and keys: there is no reader of Java's own kind of files."""
    trusted = given.pop("ssl.truststore.location", None)
    if trusted is not None:
        if given.get("ssl.truststore.type", "JKS").upper() != "PEM":
            raise SinkError(
                f"TVF707: sink {sink}: a truststore of Java cannot be read; write the certificates "
                "as PEM, and kafka.ssl.ca.location with that file in place of "
                "kafka.ssl.truststore.location"
            )
        given["ssl.ca.location"] = trusted
    kind = given.get("ssl.keystore.type", "JKS").upper()
    if "ssl.keystore.location" in given and kind == "PEM":
        own = given.pop("ssl.keystore.location")
        given["ssl.certificate.location"] = given["ssl.key.location"] = own
    elif "ssl.keystore.location" in given and kind != "PKCS12":
        raise SinkError(
            f"TVF707: sink {sink}: a keystore of Java cannot be read; make it one of PKCS12 and "
            "write kafka.ssl.keystore.type 'PKCS12', or write kafka.ssl.certificate.location and "
            "kafka.ssl.key.location, files of PEM"
        )


def _login(sink: str, config: str) -> dict[str, str]:
    """User and password of a login module that takes them; others have settings of their own."""
    found = _JAAS.match(config)
    options = (
        {name: quoted or bare for name, quoted, bare in _JAAS_OPTION.findall(found["options"])}
        if found
        else {}
    )
    if not {"username", "password"} <= options.keys():
        raise SinkError(
            f"TVF707: sink {sink}: kafka.sasl.jaas.config is understood for PlainLoginModule and "
            "ScramLoginModule with a username and a password; for others write the settings of "
            "librdkafka in its place, such as kafka.sasl.kerberos.keytab"
        )
    return {
        "sasl.username": re.sub(r"\\(.)", r"\1", options["username"]),
        "sasl.password": re.sub(r"\\(.)", r"\1", options["password"]),
    }
