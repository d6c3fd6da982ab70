"""Write a whole encounter as lines of text and the data of its marks, and read it back.

The first line is the head. Then each number has its request, its idempotency keys, its envelopes and its
commit; a line's first letter names its kind. Derived values are left out: the hash of the commit before, the
digest of the request, the commitment of an envelope, the fingerprint of a request with one command.

Laws. The text is read back and compared before it is returned. If marks do not restore every byte (of a
record that is not canonical), the encounter is written in hexadecimal digits instead.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from service.dice.chain import envelope_commitment
from service.log.values import ZERO_HASH, Payload, StoredEncounter
from service.record.canonical import NotCanonical, commit_hash, eid_of, request_digest
from service.record.commit import load_request
from service.record.envelopes import SALT_BYTES, StoredEnvelope
from service.record.fingerprint import command_fingerprint
from service.stores.archive.marks import FREE, Lengthener, Shortener

FORMAT: Final = "rewound/archive/2"
EVERY: Final = 64
"""The number of requests, or of lines that are read, between two pauses."""

_OWN, _PREV, _DIGEST, _COMMITMENT, _NUMBER, _AT, _FINGERPRINT, _FIELD = FREE
_REQUEST, _KEY, _ENVELOPE, _COMMIT = b"R", b"K", b"E", b"C"
_TIME: Final = re.compile(rb'"at":"[^"]*"')

Named = Mapping[bytes, bytes]
"""Values derived from other bytes, with their marks."""
Pause = Callable[[], object]
"""Lets other threads of the process work; it may raise to break the work off."""


def no_pause() -> None:
    """Go on at once, where nothing else waits for the processor."""


class NotSpelled(ValueError):
    """The text does not read back as the encounter, so the encounter does not come from a log."""


def spell(stored: StoredEncounter, pause: Pause = no_pause) -> tuple[bytes, bytes]:
    """Return the text and the data of *stored*; raise `NotSpelled`."""
    for has_marks in (True, False):
        text, data = _spelled(stored, pause, has_marks=has_marks)
        with suppress(ValueError, LookupError):
            if read(stored.encounter, text, data, pause) == stored:
                return text, data
    raise NotSpelled(f"{stored.encounter} does not read back as it was written")


def read(encounter: str, text: bytes, data: bytes, pause: Pause = no_pause) -> StoredEncounter:
    """Return the encounter that was written; raise `ValueError` or `LookupError` for other bytes."""
    first, *lines = text.split(b"\n")
    head: dict[str, Any] = json.loads(first)
    if (head["format"], head["encounter"]) != (FORMAT, encounter):
        raise ValueError("it is another encounter")
    reader = _Reader(encounter, data, has_marks=head["has_marks"])
    for count, line in enumerate(lines):
        if count % EVERY == 0:
            pause()
        reader.read(line[:1], line[1:])
    if reader.prev.decode() != head["hash"]:
        raise ValueError("the chain ends in another hash")
    return StoredEncounter(
        encounter=encounter,
        hash=head["hash"],
        frontier=bytes.fromhex(head["frontier"]),
        commands=reader.commands,
        commits=reader.commits,
        sealed=reader.sealed,
        keys=reader.keys,
        marks={name: value.encode("latin-1") for name, value in head["marks"].items()},
        derived={name: reader.values.take(size) for name, size in head["derived"]},
    )


def _spelled(stored: StoredEncounter, pause: Pause, *, has_marks: bool) -> tuple[bytes, bytes]:
    values = Shortener()
    head, lines = _head(stored, has_marks=has_marks), _lines(stored, values, pause, has_marks=has_marks)
    text = b"\n".join((head, *lines))
    return text, bytes(values.data) + b"".join(stored.derived.values())


def _head(stored: StoredEncounter, *, has_marks: bool) -> bytes:
    head = {
        "format": FORMAT,
        "encounter": stored.encounter,
        "has_marks": has_marks,
        "hash": stored.hash,
        "frontier": stored.frontier.hex(),
        "marks": {name: value.decode("latin-1") for name, value in stored.marks.items()},
        "derived": [(name, len(value)) for name, value in stored.derived.items()],
    }
    return json.dumps(head, separators=(",", ":")).encode()


def _lines(stored: StoredEncounter, values: Shortener, pause: Pause, *, has_marks: bool) -> Iterator[bytes]:
    def short(raw: bytes, named: Named) -> bytes:
        return values.short(raw, named) if has_marks else raw.hex().encode()

    own = {stored.encounter.encode(): _OWN}
    keys: dict[int, list[tuple[bytes, bytes]]] = defaultdict(list)
    for field, known in stored.keys.items():
        number, _, fingerprint = known.partition(" ")
        keys[int(number)].append((field.encode(), fingerprint.encode()))
    sealed: dict[int, list[Payload]] = defaultdict(list)
    for payload in stored.sealed:
        sealed[payload.n].append(payload)
    prev = ZERO_HASH.encode()
    for n, (request, commit) in enumerate(zip(stored.commands, stored.commits, strict=True), 1):
        if n % EVERY == 0:
            pause()
        yield _REQUEST + short(request, own)
        named = {_fingerprint(stored.encounter, request): _FINGERPRINT}
        for raw, print_ in keys[n]:
            scope, _, key = raw.partition(b"\n")
            yield _KEY + _FIELD.join((short(scope, own), short(key, own), short(print_, named)))
        for payload in sealed[n]:
            raw = payload.raw
            if has_marks:
                values.data += raw[:SALT_BYTES]
                raw = raw[SALT_BYTES:]
            yield _ENVELOPE + b"%d" % payload.index + _FIELD + short(raw, own)
        yield _COMMIT + short(commit, own | _follows(stored.encounter, n, request, prev, sealed[n]))
        prev = commit_hash(commit).hex().encode()


class _Reader:
    """Reads one line after the other."""

    def __init__(self, encounter: str, data: bytes, *, has_marks: bool) -> None:
        self.commands: list[bytes] = []
        self.commits: list[bytes] = []
        self.sealed: list[Payload] = []
        self.keys: dict[str, str] = {}
        self.prev = ZERO_HASH.encode()
        self.values = Lengthener(data)
        self._encounter = encounter
        self._own = {encounter.encode(): _OWN}
        self._has_marks = has_marks
        self._envelopes: list[Payload] = []

    def read(self, kind: bytes, line: bytes) -> None:
        """Read a line of a *kind*."""
        n = len(self.commands)
        if kind == _REQUEST:
            self.commands.append(self._long(line, self._own))
            self._envelopes = []
        elif kind == _KEY:
            scope, key, fingerprint = line.split(_FIELD)
            named = {_fingerprint(self._encounter, self.commands[-1]): _FINGERPRINT}
            field = self._long(scope, self._own) + b"\n" + self._long(key, self._own)
            self.keys[field.decode()] = f"{n} {self._long(fingerprint, named).decode()}"
        elif kind == _ENVELOPE:
            index, _, rest = line.partition(_FIELD)
            salt = self.values.take(SALT_BYTES) if self._has_marks else b""
            self._envelopes.append(Payload(n, int(index), salt + self._long(rest, self._own)))
            self.sealed.append(self._envelopes[-1])
        elif kind == _COMMIT:
            known = _follows(self._encounter, n, self.commands[-1], self.prev, self._envelopes)
            self.commits.append(self._long(line, self._own | known))
            self.prev = commit_hash(self.commits[-1]).hex().encode()
        else:
            raise ValueError("a line of an unknown kind")

    def _long(self, line: bytes, named: Named) -> bytes:
        if not self._has_marks:
            return bytes.fromhex(line.decode())
        return self.values.long(line, _by_mark(named))


def _by_mark(named: Named) -> Mapping[bytes, Callable[[], bytes]]:
    """Return the source of each mark's next value: the only value, or one after the other."""
    found: dict[bytes, list[bytes]] = defaultdict(list)
    for value, mark in named.items():
        found[mark].append(value)
    return {mark: _each(values) for mark, values in found.items()}


def _each(values: list[bytes]) -> Callable[[], bytes]:
    last, following = values[-1], iter(values)
    return lambda: next(following, last)


def _follows(
    encounter: str, n: int, request: bytes, prev: bytes, envelopes: Iterable[Payload]
) -> dict[bytes, bytes]:
    """Return the values in commit *n* that are derived from other bytes, with their marks."""
    time = _TIME.search(request)
    found = {b'"n":%d,' % n: _NUMBER, prev: _PREV, request_digest(request).hex().encode(): _DIGEST}
    if time is not None:
        found[time[0]] = _AT
    eid = eid_of(encounter)
    for payload in envelopes:
        opened = StoredEnvelope.of(payload.raw)
        found[envelope_commitment(eid, opened.salt, opened.payload).hex().encode()] = _COMMITMENT
    return found


def _fingerprint(encounter: str, request: bytes) -> bytes:
    """Return the fingerprint of *request* as a single command; `none` if it is not a request."""
    try:
        asked = load_request(request)
        return command_fingerprint(encounter, asked.type, asked.data).encode()
    except NotCanonical:
        return b"none"
