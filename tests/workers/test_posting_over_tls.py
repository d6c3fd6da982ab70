"""Posting over TLS: to whom the certificate names, as a trusted authority says, or not at all."""

from __future__ import annotations

import ssl
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from service.signals.webhook_addresses import WebhookAddress, WebhookAddressGuard, place
from tests.support.certificate_authority import Authority
from tests.support.webhook_receiver import NETWORK, Receiver, receiver
from workers.posting import DeliveryFailed, post

HERE = "127.0.0.1"


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Authority:
    """Give an authority that this machine trusts, as an operator would have it trusted."""
    made = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.file))
    return made


def at(hook: Receiver, name: str = HERE) -> WebhookAddress:
    return place(f"https://{name}:{hook.port}/hook?a=1")


def sent(hook: Receiver, name: str = HERE) -> int:
    return post(at(hook, name), HERE, {"Content-Type": "application/json"}, b"{}", 60)


def test_a_receiver_that_a_trusted_authority_names_is_told(authority: Authority) -> None:
    with receiver(authority.serving(HERE)) as hook:
        assert sent(hook) == 200

    [(headers, body, _)] = hook.came
    assert (headers["Host"], body) == (f"{HERE}:{hook.port}", b"{}")


def test_the_certificate_is_that_of_the_name_and_not_of_the_address(authority: Authority) -> None:
    """The address was judged and is connected to; the name is what is asked for, and proved."""
    asked: list[str | None] = []
    context = authority.serving("hooks.example")
    context.sni_callback = lambda _line, name, _context: asked.append(name)
    with receiver(context) as hook:
        assert sent(hook, "hooks.example") == 200
        with pytest.raises(DeliveryFailed, match="SSLCertVerificationError"):
            sent(hook, "other.example")
        with pytest.raises(DeliveryFailed, match="SSLCertVerificationError"):
            sent(hook)

    assert asked[:2] == ["hooks.example", "other.example"]
    assert len(hook.came) == 1


def test_a_certificate_that_has_expired_proves_nothing(authority: Authority) -> None:
    with (
        receiver(authority.serving(HERE, lasts=-timedelta(hours=1))) as hook,
        pytest.raises(DeliveryFailed, match="SSLCertVerificationError"),
    ):
        sent(hook)

    assert hook.came == []


@pytest.mark.usefixtures("authority")
def test_an_authority_that_nobody_trusts_proves_nothing(tmp_path: Path) -> None:
    elsewhere = tmp_path / "other"
    elsewhere.mkdir()
    with (
        receiver(Authority(elsewhere).serving(HERE)) as hook,
        pytest.raises(DeliveryFailed, match="SSLCertVerificationError"),
    ):
        sent(hook)

    assert hook.came == []


@pytest.mark.usefixtures("authority")
def test_a_receiver_that_speaks_no_tls_is_told_nothing() -> None:
    with receiver() as hook, pytest.raises(DeliveryFailed):
        sent(hook)

    assert hook.came == []


def test_no_old_protocol_is_spoken(authority: Authority) -> None:
    context = authority.serving(HERE)
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    with receiver(context) as hook, pytest.raises(DeliveryFailed):
        sent(hook)


def test_a_receiver_that_is_silent_over_tls_is_cut_off(authority: Authority) -> None:
    silence = threading.Event()
    with receiver(authority.serving(HERE)) as hook:
        hook.answer = lambda _: 200 if silence.wait(60) else 500
        with pytest.raises(DeliveryFailed):
            post(at(hook), HERE, {}, b"{}", 0.3)
        silence.set()


def test_what_is_judged_is_what_is_connected_to(authority: Authority) -> None:
    """A name that leads to this machine is refused unless the operator allowed its network."""
    with receiver(authority.serving("hooks.example")) as hook:
        url = f"https://hooks.example:{hook.port}/hook"
        found, address = WebhookAddressGuard.of([NETWORK]).admit(url, lambda _host, _port: [HERE])
        assert post(found, address, {}, b"{}", 60) == 200
