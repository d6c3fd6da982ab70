"""Find the addresses at which other devices of the same network reach this computer."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator
from contextlib import closing
from typing import Final

EVERYWHERE: Final = ("0.0.0.0", "::")  # noqa: S104 - what `--host` may say
_ELSEWHERE: Final = ("192.0.2.1", 9)
"""An address of nobody (RFC 5737): no packet is sent to find the way to it."""


def lan_addresses(host: str) -> list[str]:
    """Return the addresses of this computer for others; none if a service on *host* does not listen there."""
    if host not in EVERYWHERE:
        return []
    return list(dict.fromkeys(each for each in _own() if not ipaddress.ip_address(each).is_loopback))


def _own() -> Iterator[str]:
    """Yield the IPv4 addresses of this computer, the one that leads outside first."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as way:
        try:
            way.connect(_ELSEWHERE)
            yield way.getsockname()[0]
        except OSError:  # no network
            pass
    try:
        found = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    except OSError:
        return
    for *_, address in found:
        yield str(address[0])
