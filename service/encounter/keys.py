"""Issue and check API keys: who owns encounters.

Laws. A key is shown once; at rest there is only its SHA-256. Keys are compared in constant time. A key that
expired or was ended is no key; what it owns stays.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from hmac import compare_digest
from secrets import token_hex, token_urlsafe
from threading import Lock
from typing import Final

from service.log import Log

SHELF: Final = "keys"
SCOPES: Final = ("read", "write")
SECRET_BYTES: Final = 32
_TOKEN: Final = re.compile(r"rw_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_PAGE: Final = 50


@dataclass(frozen=True)
class ApiKey:
    """What is known of a key: never the key itself."""

    id: str
    name: str
    digest: str
    scopes: tuple[str, ...]
    created: int
    """Seconds since 1970, as `expires`."""
    expires: int | None = None
    ended: bool = False

    def is_valid(self, now: float) -> bool:
        """Tell whether it opens anything at *now*."""
        return not self.ended and (self.expires is None or now < self.expires)


def create(
    log: Log, name: str, now: float, *, scopes: tuple[str, ...] = SCOPES, expires: int | None = None
) -> tuple[str, ApiKey]:
    """Make a key and keep what is known of it; the text returned is not seen again."""
    id_, secret = token_hex(6), token_urlsafe(SECRET_BYTES)
    token = f"rw_{id_}_{secret}"
    key = ApiKey(id=id_, name=name, digest=_digest(token), scopes=scopes, created=int(now), expires=expires)
    _put(log, key)
    return token, key


def listed(log: Log) -> Iterator[ApiKey]:
    """Yield all keys, the newest first."""
    before = None
    while page := log.records(SHELF, before, _PAGE):
        yield from (_read(record.blob) for record in page)
        before = page[-1].number


def end(log: Log, id_: str) -> bool:
    """End a key for good; whether there was one."""
    blob = log.record(SHELF, id_)
    if blob is None:
        return False
    _put(log, replace(_read(blob), ended=True))
    return True


def find(log: Log, token: str, now: float) -> ApiKey | None:
    """Return the key that *token* is, None unless it is valid."""
    found = _TOKEN.fullmatch(token)
    if not found:
        return None
    blob = log.record(SHELF, found[1])
    if blob is None:
        return None
    key = _read(blob)
    return key if compare_digest(key.digest, _digest(token)) and key.is_valid(now) else None


class KeyCache:
    """Remember valid keys for a few seconds, so that a request costs no look at the store.

    An ended key therefore works up to *seconds* longer in a process that has just seen it.
    """

    def __init__(self, log: Log, clock: Callable[[], float], seconds: float = 3.0, size: int = 1_000) -> None:
        self._log = log
        self._clock = clock
        self._seconds = seconds
        self._size = size
        self._known: dict[str, tuple[ApiKey, float]] = {}
        self._lock = Lock()

    def find(self, token: str) -> ApiKey | None:
        """Return the key that *token* is, None unless it is valid."""
        now = self._clock()
        digest = _digest(token)
        known = self._known.get(digest)
        if known is not None and now < known[1] and known[0].is_valid(now):
            return known[0]
        key = find(self._log, token, now)
        with self._lock:
            if key is None:
                self._known.pop(digest, None)
            else:
                if len(self._known) >= self._size:
                    self._known.clear()
                self._known[digest] = (key, now + self._seconds)
        return key


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _put(log: Log, key: ApiKey) -> None:
    log.put_record(SHELF, key.id, json.dumps(asdict(key)).encode())


def _read(blob: bytes) -> ApiKey:
    data = json.loads(blob)
    return ApiKey(**data | {"scopes": tuple(data["scopes"])})
