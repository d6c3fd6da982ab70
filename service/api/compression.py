"""Compress answers for clients that accept gzip.

Laws. An answer that carries a token, a key or a secret is never compressed, because its length would depend
on the secret; the operation declares it. A stream is never compressed. A compressed answer has its own
`ETag`, which names the same version: it is accepted wherever the other one is.
"""

from __future__ import annotations

import gzip
from functools import lru_cache
from typing import Final

from werkzeug.datastructures import ETags
from werkzeug.http import parse_accept_header

from service.api.exchange import Reply
from service.api.operations import Operation

SMALLEST: Final = 1024
"""Bytes; a smaller answer gains nothing."""
LEVEL: Final = 4
"""A state of ten creatures takes half a millisecond; level 9 saves another twentieth of its bytes."""
SUFFIX: Final = "-gzip"
"""What the `ETag` of a compressed answer adds to the version."""
CODING: Final = "Accept-Encoding"
_TEXTS: Final = ("application/json", "application/jsonl", "text/")


def compressed(reply: Reply, operation: Operation, accepted: str | None) -> Reply:
    """Return *reply*, compressed if the client's field `Accept-Encoding`, *accepted*, permits it.

    A reply that could be compressed varies by the field, whether it is compressed or not.
    """
    headers = reply.headers
    if (
        operation.has_secret
        or not isinstance(reply.body, bytes)
        or len(reply.body) < SMALLEST
        or "Content-Encoding" in headers
        or "Repr-Digest" in headers
        or not headers["Content-Type"].startswith(_TEXTS)
    ):
        return reply
    headers["Vary"] = f"{headers['Vary']}, {CODING}" if "Vary" in headers else CODING
    if not accepts_gzip(accepted):
        return reply
    headers["Content-Encoding"] = "gzip"
    if "ETag" in headers:
        headers["ETag"] = f'{headers["ETag"][:-1]}{SUFFIX}"'
    return Reply(reply.status, headers, gzip.compress(reply.body, LEVEL, mtime=0))


@lru_cache(maxsize=256)
def accepts_gzip(accepted: str | None) -> bool:
    """Return whether a field `Accept-Encoding` permits gzip; without the field nothing is compressed."""
    return accepted is not None and parse_accept_header(accepted)["gzip"] > 0


def matching(sent: ETags, version: str) -> str | None:
    """Return the tag of *sent* that names *version*, compressed or not; None if none does."""
    return next((tag for tag in (version, version + SUFFIX) if sent.contains_weak(tag)), None)
