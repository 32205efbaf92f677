"""Settings of Kafka's clients in Java, as librdkafka has them."""

from __future__ import annotations

import pytest

from tvfc_runtime.sinks.errors import SinkError
from tvfc_runtime.sinks.kafka_client import client_settings

SERVERS = {"kafka.bootstrap.servers": "a:1,b:2"}
SECRET = "not to be shown"


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        ({"topic": "t", "Kafka.Linger.ms": "5"}, {"linger.ms": "5"}),
        ({"kafka.max.request.size": "9"}, {"message.max.bytes": "9"}),
        ({"kafka.max.block.ms": "9"}, {}),
        (
            {
                "kafka.security.protocol": "SASL_SSL",
                "kafka.sasl.mechanism": "SCRAM-SHA-512",
                "kafka.sasl.jaas.config": "org.apache.kafka.common.security.scram.ScramLoginModule"
                ' required username="me" password="a \\"b\\" = ; c";',
            },
            {
                "security.protocol": "SASL_SSL",
                "sasl.mechanism": "SCRAM-SHA-512",
                "sasl.username": "me",
                "sasl.password": 'a "b" = ; c',
            },
        ),
        (
            {"kafka.ssl.truststore.type": "PEM", "kafka.ssl.truststore.location": "ca.pem"},
            {"ssl.ca.location": "ca.pem"},
        ),
        (
            {"kafka.ssl.keystore.type": "PEM", "kafka.ssl.keystore.location": "me.pem"},
            {"ssl.certificate.location": "me.pem", "ssl.key.location": "me.pem"},
        ),
        (
            {"kafka.ssl.keystore.type": "PKCS12", "kafka.ssl.keystore.location": "me.p12"},
            {"ssl.keystore.location": "me.p12"},
        ),
    ],
)
def test_settings(options: dict[str, str], settings: dict[str, str]) -> None:
    assert client_settings("s", SERVERS | options) == {"bootstrap.servers": "a:1,b:2"} | settings


@pytest.mark.parametrize(
    ("options", "written"),
    [
        ({"kafka.transactional.id": "mine"}, "leave kafka.transactional.id out"),
        ({"kafka.ssl.truststore.location": "ca.jks"}, "kafka.ssl.ca.location"),
        ({"kafka.ssl.keystore.location": "me.jks"}, "kafka.ssl.certificate.location"),
        (
            {
                "kafka.sasl.jaas.config": "com.sun.security.auth.module.Krb5LoginModule required "
                f'keyTab="{SECRET}";'
            },
            "kafka.sasl.kerberos.keytab",
        ),
        ({"kafka.bootstrap.servers": " "}, "kafka.bootstrap.servers"),
    ],
)
def test_what_has_no_such_form_is_refused(options: dict[str, str], written: str) -> None:
    with pytest.raises(SinkError, match="TVF707: sink s: ") as caught:
        client_settings("s", SERVERS | options)
    assert written in str(caught.value)
    assert SECRET not in str(caught.value)
