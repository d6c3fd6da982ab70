"""Convert a request to the WSGI environment that Flask reads."""

from __future__ import annotations

import sys
from functools import lru_cache
from io import BytesIO
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from service.api.loop.framing import Received

_WITHOUT_PREFIX: Final = {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}


def environ_of(received: Received, client: str, server: tuple[str, int]) -> dict[str, Any]:
    """Return the WSGI environment of a request from *client* to *server*; `wsgi.input` is empty."""
    target, _, query = received.target.partition("?")
    path = target.encode("ascii")
    if not path.startswith(b"/"):
        path = _path_of(path)
    if b"%" in path:
        path = unquote_to_bytes(path)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": received.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": path.decode("latin-1"),
        "QUERY_STRING": query,
        "SERVER_PROTOCOL": f"HTTP/1.{received.minor_version}",
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "REMOTE_ADDR": client,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, text in received.fields.items():
        environ[_name(name)] = text
    return environ


def _path_of(target: bytes) -> bytes:
    """Return the path of a request *target* in absolute form; any other form is returned unchanged."""
    _, scheme, rest = target.partition(b"://")
    _, slash, path = rest.partition(b"/")
    return slash + path if scheme and slash else b"/" if scheme else target


@lru_cache(maxsize=256)
def _name(name: str) -> str:
    """Return the WSGI key of the header field *name*."""
    return _WITHOUT_PREFIX.get(name) or "HTTP_" + name.upper().replace("-", "_")
