"""Decide where the service may send webhooks: to public addresses, and to the operator's own networks.

An address is checked after its name was resolved, and the connection goes to the checked address, so a name
that resolves differently the second time gains nothing. Of several addresses each must be allowed.
`is_global` of the standard library accepts forms that embed another address (NAT64, 6to4, Teredo, mapped);
these are refused here, whatever they embed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final
from urllib.parse import urlsplit

Network = IPv4Network | IPv6Network
Resolve = Callable[[str, int], Iterable[str]]
"""Returns the addresses of a name and port, as `getaddrinfo` writes them; raises OSError."""

LONGEST: Final = 2_000
_HOST: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\]")
_VISIBLE: Final = re.compile(r"[!-\[\]-~]+")
_PORTS: Final = (80, 443)
_LEAST_PORT: Final = 1024
_LONGEST_NAME: Final = 253
_LONGEST_LABEL: Final = 63

_GLOBAL_6: Final = IPv6Network("2000::/3")
_NEVER: Final[tuple[Network, ...]] = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",
        "192.0.0.0/24",  # protocol assignments; Python calls two of them global
        "192.88.99.0/24",  # relays of 6to4
        "224.0.0.0/4",
        "240.0.0.0/4",
        "2001::/23",  # protocol assignments: Teredo, benchmarking, ORCHID
        "2001:db8::/32",
        "2002::/16",  # 6to4
        "3fff::/20",  # documentation
    )
)


class AddressNotAllowed(Exception):
    """Nothing may be sent to this URL; the message says what is allowed."""


@dataclass(frozen=True)
class WebhookAddress:
    """The parts of a URL."""

    is_secure: bool
    host: str
    """A name or an address, without brackets."""
    port: int
    target: str
    """Path and query, as requested."""

    @property
    def host_header(self) -> str:
        """The value of the `Host` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.is_secure else 80) else f"{host}:{self.port}"


def place(url: str) -> WebhookAddress:
    """Return the parts of *url*; raise `AddressNotAllowed` if two parsers could disagree about it."""
    if len(url) > LONGEST or not _VISIBLE.fullmatch(url):
        raise AddressNotAllowed("visible ASCII without backslashes, at most 2000 characters")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as fault:
        raise AddressNotAllowed("not a URL") from fault
    if parts.scheme not in {"https", "http"}:
        raise AddressNotAllowed("an address that begins with https://")
    is_secure = parts.scheme == "https"
    if "@" in parts.netloc:
        raise AddressNotAllowed("no name or password in a URL")
    if parts.fragment or "#" in url:
        raise AddressNotAllowed("no fragment in a URL")
    bare = parts.netloc.rpartition(":")[0] if port is not None else parts.netloc.removesuffix(":")
    if not _HOST.fullmatch(bare) or not _is_resolvable(bare):
        raise AddressNotAllowed("a host name in ASCII (xn--… for others), or an address")
    port = port if port is not None else (443 if is_secure else 80)
    if port not in _PORTS and port < _LEAST_PORT:
        raise AddressNotAllowed("port 80, 443, or one from 1024 on")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return WebhookAddress(is_secure, bare.strip("[]").lower(), port, target)


def _is_resolvable(host: str) -> bool:
    """Return whether *host* is an address in brackets, or a name whose labels DNS can carry."""
    if host.startswith("["):
        return True
    labels = host.removesuffix(".").split(".")
    return len(host) <= _LONGEST_NAME and all(0 < len(label) <= _LONGEST_LABEL for label in labels)


@dataclass(frozen=True)
class WebhookAddressGuard:
    """The allowed addresses: public ones by https; the operator's *networks* also by http."""

    networks: tuple[Network, ...] = ()

    @classmethod
    def of(cls, texts: Iterable[str]) -> WebhookAddressGuard:
        """Return the guard that also allows the networks in *texts*; raise ValueError."""
        return cls(tuple(ip_network(text) for text in texts))

    def admit(self, url: str, resolve: Resolve) -> tuple[WebhookAddress, str]:
        """Return the parts of *url* and the address to use; raise `AddressNotAllowed` or as *resolve*."""
        found = place(url)
        addresses = list(resolve(found.host, found.port))
        if not addresses:
            raise AddressNotAllowed("the name has no address")
        for address in addresses:
            self._judge(found, address)
        return found, addresses[0]

    def look(self, url: str) -> None:
        """Return if *url* may be allowed; its name is resolved only when something is sent."""
        found = place(url)
        try:
            address = ip_address(found.host)
        except ValueError:
            if not found.is_secure and not self.networks:
                raise AddressNotAllowed("an address that begins with https://") from None
        else:
            self._judge(found, str(address))

    def _judge(self, found: WebhookAddress, text: str) -> None:
        address = _read(text)
        if any(address.version == network.version and address in network for network in self.networks):
            return
        if not is_public(address):
            raise AddressNotAllowed("the name resolves to an address that is not public")
        if not found.is_secure:
            raise AddressNotAllowed("https: messages over public networks are encrypted")


NOWHERE_ELSE: Final = WebhookAddressGuard()
"""Public addresses only."""


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether *address* is a single public host's and embeds no other address."""
    if isinstance(address, IPv6Address) and (address not in _GLOBAL_6 or address.scope_id is not None):
        return False  # outside: loopback, mapped, NAT64, unique local, link local, site local, multicast
    if any(address.version == network.version and address in network for network in _NEVER):
        return False
    return address.is_global and not address.is_multicast and not _is_isatap(address)


def _is_isatap(address: IPv4Address | IPv6Address) -> bool:
    return isinstance(address, IPv6Address) and address.packed[8:12] in {
        b"\x00\x00\x5e\xfe",
        b"\x02\x00\x5e\xfe",
    }


def _read(text: str) -> IPv4Address | IPv6Address:
    try:
        return ip_address(text)
    except ValueError as fault:
        raise AddressNotAllowed("the name resolves to something that is not an address") from fault
