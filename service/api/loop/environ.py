"""Convert the scope of an ASGI request to the WSGI environment that Flask reads."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
from io import BytesIO
from typing import Any, Final
from urllib.parse import unquote_to_bytes

_WITHOUT_PREFIX: Final = {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}


def environ_of(scope: Mapping[str, Any]) -> dict[str, Any]:
    """Return the WSGI environment of the request in *scope*; `wsgi.input` is empty."""
    client, server = scope["client"] or ("", 0), scope["server"] or ("", 0)
    path = scope["raw_path"]
    if not path.startswith(b"/"):
        path = _path_of(path)
    if b"%" in path:
        path = unquote_to_bytes(path)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": path.decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": str(server[0]),
        "SERVER_PORT": str(server[1]),
        "REMOTE_ADDR": str(client[0]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in scope["headers"]:
        key = _name(name)
        text = value.decode("latin-1")
        environ[key] = f"{environ[key]},{text}" if key in environ else text
    return environ


def _path_of(target: bytes) -> bytes:
    """Return the path of a request *target* in absolute form; any other form is returned unchanged."""
    _, scheme, rest = target.partition(b"://")
    _, slash, path = rest.partition(b"/")
    return slash + path if scheme and slash else b"/" if scheme else target


@lru_cache(maxsize=256)
def _name(name: bytes) -> str:
    """Return the WSGI key of the header field *name*."""
    text = name.decode("latin-1")
    return _WITHOUT_PREFIX.get(text) or "HTTP_" + text.upper().replace("-", "_")
