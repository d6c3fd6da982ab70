"""Nothing is sent to an address that is not public, however it is spelled, and whatever a name answers."""

from __future__ import annotations

import socket
from ipaddress import ip_address

import pytest

from service.signals.webhook_addresses import AddressNotAllowed, WebhookAddressGuard, is_public, place

PUBLIC = "93.184.215.14"


def resolve(host: str, port: int) -> list[str]:
    """Resolve as the system does what needs no name server; every other name is a public address."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except OSError:
        return ["127.0.0.1", "::1"] if host.rstrip(".") == "localhost" else [PUBLIC]
    return [str(address[0]) for *_, address in found]


HOSTS = """
127.0.0.1 127.8.9.1 10.0.0.1 172.16.0.1 172.31.255.254 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0
0.1.2.3 255.255.255.255 224.0.0.1 239.1.2.3 240.0.0.1 198.18.0.1 192.0.2.1 198.51.100.1 203.0.113.1
192.0.0.9 192.88.99.1 127.1 127.0.1 0 0x7f.1 0x7f000001 0x7f.0.0.0x1 2130706433 017700000001 0177.0.0.1
localhost LOCALHOST localhost. [::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1]
[::ffff:0:127.0.0.1] [::127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::10.0.0.1]
[2002:7f00:1::] [2002:a00:1::1] [2001:0:7f00:1::1] [fe80::1] [fc00::1] [fd12:3456::1] [fec0::1] [ff02::1]
[2001:db8::1] [100::1] [3fff::1] [2600::5efe:7f00:1] [2600::200:5efe:a00:1]
"""
"""What is not public, spelled plainly, otherwise, and inside an address of another kind."""

TRICKS = [
    *(f"https://{host}/hook" for host in HOSTS.split()),
    "https://[fe80::1%25eth0]/hook",
    # two readers, two hosts
    "https://example.com@127.0.0.1/",
    "https://user:pass@example.com/",
    "https://127.0.0.1#@example.com/",
    "https://example.com\\@127.0.0.1/",
    "https://127.0.0.1\\.example.com/",
    "https:\\\\127.0.0.1/",
    "https://127.0.0.1 .example.com/",
    "https://example.com\r\nHost: 127.0.0.1/",
    "https://example.com\t.127.0.0.1/",
    "https://ⓛocalhost/",
    "https://\uff11\uff12\uff17.0.0.1/",
    "https://127。0。0。1/",
    "https://%31%32%37.0.0.1/",
    "https://127.0.0.1%00.example.com/",
    "https://[::1]example.com/",
    "https://[::1].example.com/",
    "https://exa_mple..-com-/",
    "https://example.com:0/",
    "https://example.com:22/",
    "https://example.com:99999/",
    "https://example.com:1e3/",
    "https:///hook",
    "https:127.0.0.1/hook",
    "//127.0.0.1/hook",
    "/hook",
    "file:///etc/passwd",
    "gopher://127.0.0.1:6379/_FLUSHALL",
    "ftp://example.com/",
    "http://example.com/hook",
    "unix:///tmp/valkey.sock",
    "",
    "https://" + "a" * 2_000,
]


def test_there_are_about_sixty_tricks_or_more() -> None:
    assert len(set(TRICKS)) == len(TRICKS) >= 60


@pytest.mark.parametrize("url", TRICKS)
def test_no_trick_leads_anywhere(url: str) -> None:
    with pytest.raises(AddressNotAllowed):
        WebhookAddressGuard().admit(url, resolve)


@pytest.mark.parametrize(
    ("url", "header", "port", "target"),
    [
        ("https://example.com/hook?a=1", "example.com", 443, "/hook?a=1"),
        ("https://Example.com:8443", "example.com:8443", 8443, "/"),
        ("https://xn--bcher-kva.example/", "xn--bcher-kva.example", 443, "/"),
        ("https://93.184.215.14:443/", "93.184.215.14", 443, "/"),
        ("https://[2606:2800::1]/", "[2606:2800::1]", 443, "/"),
    ],
)
def test_a_public_address_is_admitted(url: str, header: str, port: int, target: str) -> None:
    found, address = WebhookAddressGuard().admit(url, resolve)

    assert (found.host_header, found.port, found.target) == (header, port, target)
    assert is_public(ip_address(address))


@pytest.mark.parametrize("second", ["10.0.0.1", "::1", "no address"])
def test_every_address_of_a_name_must_be_allowed(second: str) -> None:
    """A name with a public and a private address is refused, whichever would be taken."""
    for answers in ([PUBLIC, second], [second, PUBLIC]):
        with pytest.raises(AddressNotAllowed):
            WebhookAddressGuard().admit("https://example.com/", lambda *_, answers=answers: answers)
    with pytest.raises(AddressNotAllowed):
        WebhookAddressGuard().admit("https://example.com/", lambda *_: [])


def test_a_name_is_asked_for_once_and_what_was_judged_is_what_is_given() -> None:
    """Whoever answers otherwise the second time is not asked a second time."""
    answers = iter([[PUBLIC], ["127.0.0.1"]])

    assert WebhookAddressGuard().admit("https://example.com/", lambda *_: next(answers))[1] == PUBLIC


def test_the_operators_networks_are_allowed_and_no_others() -> None:
    house = WebhookAddressGuard.of(["127.0.0.1/32", "fd00::/8"])

    assert house.admit("http://127.0.0.1:8080/hook", resolve)[1] == "127.0.0.1"
    assert house.admit("http://[fd00::2]/", resolve)[1] == "fd00::2"
    for url in (
        "http://127.0.0.2/",
        "http://[::ffff:127.0.0.1]/",
        "https://10.0.0.1/",
        "http://example.com/",
    ):
        with pytest.raises(AddressNotAllowed):
            house.admit(url, resolve)


def test_what_can_be_refused_before_a_name_is_resolved_is() -> None:
    for url in TRICKS:
        if place_or_none(url) is None or url.startswith(("https://127.0.0.1/", "https://[::1]")):
            with pytest.raises(AddressNotAllowed):
                WebhookAddressGuard().look(url)
    WebhookAddressGuard().look("https://example.com/hook")


def place_or_none(url: str) -> object:
    try:
        return place(url)
    except AddressNotAllowed:
        return None
