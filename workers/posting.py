"""Post a webhook to an untrusted receiver: once, only to the checked address, and with a time limit.

It follows no redirect and uses no proxy. It reads only the status of the response, and disconnects slow
receivers.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping
from contextlib import closing, suppress
from http.client import HTTPConnection
from threading import Timer
from typing import Final

from service.signals.webhook_addresses import WebhookAddress

ANSWER_S: Final = 10.0
"""How long connecting, sending and receiving the response's head may take in all."""


class DeliveryFailed(Exception):
    """No response came; the text is the name of the fault."""


class NotResolved(Exception):
    """The name leads to no address."""


def resolve(host: str, port: int) -> list[str]:
    """Return the IP addresses of *host*, the preferred one first; raises `NotResolved`."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except Exception as fault:  # besides OSError: UnicodeError for a name that cannot be encoded
        raise NotResolved(host) from fault
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def post(
    place: WebhookAddress, address: str, headers: Mapping[str, str], body: bytes, answer_s: float = ANSWER_S
) -> int:
    """Post *body* to *place* at the IP *address* and return the status; raises `DeliveryFailed`."""
    try:
        with closing(_connected(place, address, answer_s)) as line:
            end = Timer(answer_s, _cut, (line,))
            end.daemon = True
            end.start()
            try:
                return _status(place, line, headers, body)
            finally:
                end.cancel()
    except Exception as fault:  # OSError and HTTPException, and what nobody has foreseen
        raise DeliveryFailed(type(fault).__name__) from fault


def _connected(place: WebhookAddress, address: str, answer_s: float) -> socket.socket:
    line = socket.create_connection((address, place.port), answer_s)
    if not place.is_secure:
        return line
    try:
        return ssl.create_default_context().wrap_socket(line, server_hostname=place.host)
    except BaseException:
        line.close()
        raise


def _status(place: WebhookAddress, line: socket.socket, headers: Mapping[str, str], body: bytes) -> int:
    connection = HTTPConnection(place.host, place.port)
    connection.sock = line
    connection.request("POST", place.target, body, {"Host": place.host_header, **headers})
    return connection.getresponse().status


def _cut(line: socket.socket) -> None:
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
