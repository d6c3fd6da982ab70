"""Serve the files of the pages: from the package, with an `ETag`, compressed if the client accepts it.

No page loads anything from another server, and none has a script inside its HTML.
"""

from __future__ import annotations

import gzip
import json
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

from werkzeug.http import parse_accept_header

from service.api.page_files import page_file
from service.api.problem_pages import HTML, POLICY
from service.api.problems import not_found
from service.api.request import ApiRequest, ApiResponse

SITE: Final = "site"
"""The folder beside the pages that has the documentation site, which `docs/site` builds."""
REPLAY: Final = "replay.html"
"""The file of the site that replays an example by itself."""
_DIGEST: Final = 32
"""The number of hexadecimal digits in an `ETag`."""
_MEDIA_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
}
"""The media type of each file that a page loads, by suffix."""


class Document:
    """Immutable bytes, uncompressed and compressed, with the digest for their `ETag`."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.gzip = gzip.compress(raw, mtime=0)
        self.digest = sha256(raw).hexdigest()[:_DIGEST]


def names_in(folder: str) -> frozenset[str]:
    """Return the names of the files in a *folder* of the pages that a page may load."""
    found = files("service.api").joinpath("pages", folder).iterdir()
    return frozenset(each.name for each in found if each.is_file() and _suffix(each.name) in _MEDIA_TYPES)


def file_response(request: ApiRequest, path: str) -> ApiResponse:
    """Return the file at *path* below the pages; raises `not-found` for one that no page loads."""
    folder, _, name = path.rpartition("/")
    if name not in _known(folder):
        raise not_found()
    return document_response(request, _file(path), _MEDIA_TYPES[_suffix(name)])


def site_response(request: ApiRequest, name: str) -> ApiResponse | None:
    """Return a page or a file of the documentation site by its *name*, None if it has none of this name.

    A page is `name.html`, without a suffix in its address. A source tree has no site before `make site`.
    """
    if name == REPLAY and name in _built():  # its own policy is in it, and allows less
        return document_response(request, _site_file(name), HTML)
    if f"{name}.html" in _built() and f"{name}.html" != REPLAY:
        answer = document_response(request, _site_file(f"{name}.html"), HTML)
        answer.headers["Content-Security-Policy"] = POLICY
        answer.headers["Referrer-Policy"] = "no-referrer"
        return answer
    suffix = _suffix(name)
    if name in _built() and suffix in _MEDIA_TYPES:
        return document_response(request, _site_file(name), _MEDIA_TYPES[suffix])
    return None


def page_response(name: str, policy: str = POLICY) -> ApiResponse:
    """Return the page in the file *name*, with the Content Security Policy *policy*."""
    return html_response(_file(name).raw, policy)


def html_response(raw: bytes, policy: str = POLICY) -> ApiResponse:
    """Return HTML as a page that reveals its address to no other server."""
    answer = _served(raw, HTML)
    answer.headers["Content-Security-Policy"] = policy
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


def document_response(request: ApiRequest, document: Document, media_type: str) -> ApiResponse:
    """Return *document* as a response with an ETag, compressed if the client accepts gzip."""
    if request.is_pretty and media_type == "application/json":
        return ApiResponse(json.loads(document.raw), version=f"{document.digest}-pretty")
    wanted = parse_accept_header(request.headers.get("accept-encoding"))
    is_small = wanted["gzip"] > 0
    answer = _served(document.gzip if is_small else document.raw, media_type)
    answer.version = f"{document.digest}-gzip" if is_small else document.digest
    answer.headers["Vary"] = "Accept-Encoding"
    if is_small:
        answer.headers["Content-Encoding"] = "gzip"
    return answer


_known: Final = cache(names_in)


@cache
def _file(path: str) -> Document:
    return Document(page_file(path))


@cache
def _built() -> frozenset[str]:
    """Return the names of the files of the documentation site."""
    site = files("service.api").joinpath(SITE)
    return frozenset(each.name for each in site.iterdir()) if site.is_dir() else frozenset()


@cache
def _site_file(name: str) -> Document:
    return Document(files("service.api").joinpath(SITE, name).read_bytes())


def _suffix(name: str) -> str:
    return name[name.rfind(".") :]


def _served(raw: bytes, media_type: str) -> ApiResponse:
    headers = {"Cache-Control": "public, max-age=300", "X-Content-Type-Options": "nosniff"}
    return ApiResponse(raw=raw, media_type=media_type, headers=headers)
