"""Issue and check API keys; an API key identifies the owner of encounters.

Laws. A key is shown once; the store has only its SHA-256. Keys are compared in constant time. An expired or
ended key is invalid. Encounters belong to the key's owner, who may have several keys: a rotated key grants
the same access as the one before it.
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from hmac import compare_digest
from hmac import digest as hmac_digest
from secrets import token_hex, token_urlsafe
from typing import Final

from service.caches import RecentCache
from service.log import SideStore, StoreFailure

COLLECTION: Final = "keys"
SCOPES: Final = ("read", "write", "keys", "operator")
"""Read and change encounters; make, rotate and end the owner's keys; read the service's metrics."""
USUAL: Final = ("read", "write", "keys")
SECRET_BYTES: Final = 32
MOST: Final = 100
"""The most valid keys of one owner."""
KEPT: Final = 100
"""How many keys of one owner that have ended or expired are listed; older ones are forgotten."""
_ID_BYTES: Final = 6
_LABEL: Final = b"rewound/api-key/1\x00"
_TOKEN: Final = re.compile(r"rw_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_PAGE: Final = 50


class TooManyKeys(Exception):
    """The owner has the most valid keys that are allowed."""

    def __init__(self) -> None:
        super().__init__(f"you have {MOST} valid keys; end one of them")


@dataclass(frozen=True)
class ApiKey:
    """The stored data of a key, without the key itself."""

    id: str
    name: str
    digest: str
    scopes: tuple[str, ...]
    created: int
    """Seconds since 1970, as `expires`."""
    expires: int | None = None
    ended: bool = False
    owner: str = ""
    """The owner of what is opened with this key: the id of the owner's first key."""
    follows: str | None = None
    """The key that this one replaces."""
    fingerprint: str = ""
    """Of the request that asked for this key, if a request did."""

    def is_valid(self, now: float) -> bool:
        """Return whether the key is valid at *now*."""
        return not self.ended and (self.expires is None or now < self.expires)


def create(
    store: SideStore,
    name: str,
    now: float,
    *,
    scopes: tuple[str, ...] = USUAL,
    expires: int | None = None,
    owner: str | None = None,
) -> tuple[str, ApiKey]:
    """Create a key of *owner* (or of a new owner); return its text, which is not stored, and its data."""
    id_ = token_hex(_ID_BYTES)
    token = f"rw_{id_}_{token_urlsafe(SECRET_BYTES)}"
    key = ApiKey(
        id=id_,
        name=name,
        digest=_digest(token),
        scopes=scopes,
        created=int(now),
        expires=expires,
        owner=owner or id_,
    )
    _put(store, key)
    return token, key


@dataclass(frozen=True)
class ApiKeyDraft:
    """A key that its owner asks for."""

    name: str
    scopes: tuple[str, ...]
    expires: int | None = None
    follows: str | None = None
    fingerprint: str = ""


def derive(
    store: SideStore, service_key: bytes, asked: str, owner: str, wanted: ApiKeyDraft, now: float
) -> tuple[str, ApiKey, bool]:
    """Return *owner*'s key for the idempotency key *asked*: its text, its data, whether it existed.

    A retry gets the same text, although no store has it: it is derived from the service key. Raises
    `TooManyKeys`.
    """
    said = hmac_digest(service_key, _LABEL + owner.encode() + b"\x00" + asked.encode(), sha256)
    id_ = sha256(_LABEL + said).hexdigest()[: 2 * _ID_BYTES]
    token = f"rw_{id_}_{urlsafe_b64encode(said).decode().rstrip('=')}"
    standing = store.record(COLLECTION, id_)
    if standing is not None:
        return token, _read(standing), True
    _make_room(store, owner, now)
    key = ApiKey(
        id=id_,
        name=wanted.name,
        digest=_digest(token),
        scopes=wanted.scopes,
        created=int(now),
        expires=wanted.expires,
        owner=owner,
        follows=wanted.follows,
        fingerprint=wanted.fingerprint,
    )
    _put(store, key)
    return token, key, False


def of_owner(store: SideStore, owner: str) -> list[ApiKey]:
    """Return all keys of *owner*, the newest first."""
    found: list[ApiKey] = []
    before = None
    while page := store.records(f"{COLLECTION}/{owner}", before, _PAGE):
        blobs = store.records_named([(COLLECTION, record.blob.decode()) for record in page])
        found += [_read(blob) for blob in blobs if blob is not None]
        before = page[-1].number
    return found


def _make_room(store: SideStore, owner: str, now: float) -> None:
    """Forget keys that ended or expired, from the `KEPT`th on; raise `TooManyKeys` if too many are valid.

    The first key of *owner* stays, since it names the owner.
    """
    keys = of_owner(store, owner)
    over = [key for key in keys if not key.is_valid(now)]
    if len(keys) - len(over) >= MOST:
        raise TooManyKeys
    for key in over[KEPT:]:
        if key.id != owner:
            store.drop_record(COLLECTION, key.id)
            store.drop_record(f"{COLLECTION}/{owner}", key.id)


def known(store: SideStore, id_: str) -> ApiKey | None:
    """Return the stored data of the key *id_*, valid or not; None if there is none."""
    blob = store.record(COLLECTION, id_)
    return None if blob is None else _read(blob)


def expire(store: SideStore, key: ApiKey, at: int) -> ApiKey:
    """Make *key* expire at *at*, in seconds since 1970, unless it expires earlier; return the new key."""
    if key.expires is not None and key.expires <= at:
        return key
    shorter = replace(key, expires=at)
    _put(store, shorter)
    return shorter


def listed(store: SideStore) -> Iterator[ApiKey]:
    """Yield all keys, the newest first."""
    before = None
    while page := store.records(COLLECTION, before, _PAGE):
        yield from (_read(record.blob) for record in page)
        before = page[-1].number


def end(store: SideStore, id_: str) -> bool:
    """End a key permanently; return whether it exists."""
    key = known(store, id_)
    if key is None:
        return False
    _put(store, replace(key, ended=True))
    return True


def find(store: SideStore, token: str, now: float) -> ApiKey | None:
    """Return the valid key with the text *token*; None if there is none."""
    found = _TOKEN.fullmatch(token)
    if not found:
        return None
    key = known(store, found[1])
    if key is None:
        return None
    return key if compare_digest(key.digest, _digest(token)) and key.is_valid(now) else None


class KeyCache:
    """Caches valid keys for a few seconds, so that most requests need no read from the store.

    An ended key therefore works up to *seconds* longer in a process that has just used it. While the store is
    down, an operator's key that was valid at its last use still is: it reads the metrics, which tell of it.
    """

    def __init__(
        self, store: SideStore, clock: Callable[[], float], seconds: float = 3.0, size: int = 1_000
    ) -> None:
        self._store = store
        self._clock = clock
        self._known: RecentCache[str, ApiKey] = RecentCache(size, seconds=seconds, clock=clock)
        self._operators: RecentCache[str, ApiKey] = RecentCache(size)

    def find(self, token: str) -> ApiKey | None:
        """Return the valid key with the text *token*; None if there is none."""
        now = self._clock()
        digest = _digest(token)
        known = self._known.get(digest)
        if known is not None and known.is_valid(now):
            return known
        try:
            key = find(self._store, token, now)
        except StoreFailure:
            last = self._operators.get(digest)
            if last is None or not last.is_valid(now):
                raise
            return last
        if key is None:
            self._known.drop(digest)
            self._operators.drop(digest)
        else:
            self._known.put(digest, key)
            if "operator" in key.scopes:
                self._operators.put(digest, key)
        return key

    def forget(self, id_: str) -> None:
        """Drop the key *id_* from this cache."""
        for cache in (self._known, self._operators):
            cache.drop_all(lambda _, key: key.id == id_)


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _put(store: SideStore, key: ApiKey) -> None:
    store.put_record(COLLECTION, key.id, json.dumps(asdict(key)).encode())
    store.put_record(f"{COLLECTION}/{key.owner}", key.id, key.id.encode())


def _read(blob: bytes) -> ApiKey:
    data = json.loads(blob)
    return ApiKey(**data | {"scopes": tuple(data["scopes"]), "owner": data.get("owner") or data["id"]})
