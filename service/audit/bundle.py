"""Write and read bundles: one file with all evidence about an encounter.

A bundle is JSON Lines: a header; for each number its command and its commit, then the envelopes its reader
may open; disclosed links; keys and the checkpoints they signed; a trailer with count and head. It contains
commands and commits as the exact text that was hashed.

Laws. Every line is canonical JSON. The reader is strict: one order, one spelling, bounded sizes. A bundle
contains what its seat may see, so it withholds a request while an envelope of its commit is closed to the
seat. A fault names the commit that it concerns; the audit reports it as `malformed`. A last line without a
line feed was cut off and is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from service.audit import checkpoint
from service.audit.completeness import may_read
from service.audit.evidence import Evidence, Receipt
from service.audit.notes import BadNote
from service.audit.signing import VouchedKey, check_rotation
from service.audit.verdict import MALFORMED, NOT_A_BUNDLE, Verdict
from service.core.views import Reader
from service.record.canonical import NotCanonical, dumps, eid_of, read_strictly
from service.record.commit import load_commit
from service.record.envelopes import Place, StoredEnvelope
from service.record.occasions import occasions_of

FORMAT: Final = "rewound/bundle/1"
MAX_BYTES: Final = 256 * 2**20
MAX_LINE: Final = 8 * 2**20
MAX_COMMITS: Final = 1_000_000

SEAT: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,23}")
_HASH: Final = re.compile(r"[0-9a-f]{64}")


class BadBundle(ValueError):
    """The bytes are not a valid bundle. *n* is the commit that the faulty line concerns, 0 if none."""

    def __init__(self, line: int, n: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.n = n
        self.reason = reason

    @property
    def verdict(self) -> Verdict:
        """The audit's verdict on such bytes."""
        return Verdict(MALFORMED, self.n, str(self))


class NotABundle(BadBundle):
    """The first line of the bytes is not the header of a bundle of this format."""

    @property
    def verdict(self) -> Verdict:
        """The audit's verdict on such bytes."""
        return Verdict(NOT_A_BUNDLE, detail=self.reason)


# --- writing -----------------------------------------------------------------------------------------


def write(evidence: Evidence, seat: str) -> Iterator[bytes]:
    """Yield the lines of the bundle for *seat*. *evidence* is complete: nothing is withheld from it."""
    commits = [load_commit(raw) for raw in evidence.commits]
    reader = Reader(seat, occasions_of(commits))
    edition = commits[0].edition if commits else ""
    yield _line(kind="header", format=FORMAT, encounter=evidence.encounter, edition=edition, seat=seat)
    for commit, request in zip(commits, evidence.requests, strict=True):
        if request is not None and may_read(reader, request, commit):
            yield _line(kind="command", n=commit.n, bytes=request.decode())
        else:
            yield _line(kind="command", n=commit.n, withheld=True)
        yield _line(kind="commit", n=commit.n, bytes=commit.raw.decode())
        for index, event in enumerate(commit.events):
            opened = evidence.opened.get((commit.n, index))
            if opened is not None and reader.may_open(event):
                payload, salt = opened.payload.decode(), opened.salt.hex()
                yield _line(kind="opened", n=commit.n, index=index, payload=payload, salt=salt)
    for (lane, epoch), link in sorted(evidence.links.items()):
        yield _line(kind="disclosure", lane=lane, epoch=epoch, link=link.hex())
    notes = sorted(evidence.notes, key=checkpoint.size_of)
    for key in evidence.keys if notes else ():
        rotation = {} if key.rotation is None else {"rotation": key.rotation}
        yield _line(kind="key", name=key.name, public=key.public.hex(), **rotation)
    for note in notes:
        yield _line(kind="checkpoint", note=note)
    yield _line(kind="trailer", checkpoints=len(notes), count=evidence.count, head=evidence.head)


def _line(**data: Any) -> bytes:  # noqa: ANN401 - members of any JSON type
    return dumps(data) + b"\n"


# --- reading -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _BundleReader:
    """What has been read of a bundle so far."""

    last: str | None = None
    """The kind of the last line."""
    header: dict[str, Any] | None = None
    trailer: dict[str, Any] | None = None
    requests: list[bytes | None] = field(default_factory=list)
    commits: list[bytes] = field(default_factory=list)
    opened: dict[Place, StoredEnvelope] = field(default_factory=dict)
    links: dict[tuple[int, int], bytes] = field(default_factory=dict)
    keys: list[VouchedKey] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read(
    raw: bytes,
    receipts: Iterable[Receipt] = (),
    pinned: Iterable[bytes] = (),
    signed_receipts: Iterable[bytes] = (),
) -> Evidence:
    """Return the evidence in a bundle's bytes; raises `BadBundle`. Only the format is checked.

    *pinned* are the public keys that the caller trusts.
    """
    if len(raw) > MAX_BYTES:
        raise BadBundle(0, 0, f"more than {MAX_BYTES} bytes")
    found = _BundleReader()
    lines = raw.split(b"\n")[:-1]
    _check_kind(lines)
    for number, line in enumerate(lines, 1):
        at = max(len(found.requests), len(found.commits))
        _take(found, number, at, _parse(number, at, line))
    assert found.header is not None, "a first line that is not a header was read"
    if found.trailer is None:  # the bundle was cut off, so at least one more commit is expected
        count, head = len(found.commits) + 1, ""
    else:
        count, head = found.trailer["count"], found.trailer["head"]
    return Evidence(
        encounter=found.header["encounter"],
        requests=found.requests[: len(found.commits)],
        commits=found.commits,
        opened=found.opened,
        count=count,
        head=head,
        links=found.links,
        receipts=tuple(receipts),
        signed_receipts=tuple(signed_receipts),
        notes=tuple(found.notes),
        keys=tuple(found.keys),
        pinned=tuple(pinned),
        seat=found.header["seat"],
        named_edition=found.header["edition"],
    )


def is_begun(raw: bytes) -> bool:
    """Return whether *raw* begins with the header of a bundle; reads only the first line."""
    try:
        _take(_BundleReader(), 1, 0, _parse(1, 0, raw.partition(b"\n")[0]))
    except BadBundle:
        return False
    return True


def _check_kind(lines: list[bytes]) -> None:
    """Raise `NotABundle` unless the first of *lines* is the header of a bundle of this format."""
    if lines and len(lines[0]) > MAX_LINE:
        raise NotABundle(1, 0, f"its first line has more than {MAX_LINE} bytes")
    try:
        first = read_strictly(lines[0]) if lines else None
    except NotCanonical as fault:
        raise NotABundle(1, 0, f"its first line is not canonical JSON: {fault}") from fault
    if not isinstance(first, dict) or first.get("kind") != "header":
        raise NotABundle(1, 0, "its first line is not a header")
    if first.get("format") != FORMAT:
        raise NotABundle(1, 0, f"its format is {first.get('format')!a}, not {FORMAT}")


def _parse(number: int, at: int, line: bytes) -> dict[str, Any]:
    if len(line) > MAX_LINE:
        raise BadBundle(number, at, f"more than {MAX_LINE} bytes")
    try:
        data = read_strictly(line)
    except NotCanonical as fault:
        raise BadBundle(number, at, str(fault)) from fault
    if not isinstance(data, dict):
        raise BadBundle(number, at, "not a JSON object")
    return data


def _take(found: _BundleReader, number: int, at: int, data: dict[str, Any]) -> None:
    """Add one line to *found*; raises `BadBundle` if its kind may not follow the last line."""
    kind = data.pop("kind", None)
    if not isinstance(kind, str) or kind not in _LINES:
        raise BadBundle(number, at, f"there are no lines of kind {kind!a}")
    if kind not in _NEXT[found.last]:
        raise BadBundle(number, at, f"a line of kind {kind} cannot follow {found.last or 'nothing'}")
    try:
        _LINES[kind](found, data)
    except (_BundleFault, KeyError, TypeError, ValueError) as fault:
        raise BadBundle(number, at, f"{kind}: {fault}") from fault
    found.last = kind


class _BundleFault(Exception):
    """A line breaks the format."""


def _header(found: _BundleReader, data: dict[str, Any]) -> None:
    _check(data, format=str, encounter=str, edition=str, seat=str)
    if not SEAT.fullmatch(data["seat"]):
        raise _BundleFault(f"{data['seat']!a} is not a valid seat id")
    eid_of(data["encounter"])
    found.header = data


def _command(found: _BundleReader, data: dict[str, Any]) -> None:
    if "withheld" in data:
        _check(data, n=int, withheld=bool)
        if not data["withheld"]:
            raise _BundleFault("withheld must be true if present")
    else:
        _check(data, n=int, bytes=str)
    if data["n"] != len(found.commits) + 1:
        raise _BundleFault(f"number {data['n']} is out of order")
    if data["n"] > MAX_COMMITS:
        raise _BundleFault(f"more than {MAX_COMMITS} commands")
    found.requests.append(data["bytes"].encode() if "bytes" in data else None)


def _commit(found: _BundleReader, data: dict[str, Any]) -> None:
    _check(data, n=int, bytes=str)
    if data["n"] != len(found.commits) + 1:
        raise _BundleFault(f"number {data['n']} is out of order")
    found.commits.append(data["bytes"].encode())


def _opened(found: _BundleReader, data: dict[str, Any]) -> None:
    _check(data, n=int, index=int, payload=str, salt=str)
    place = (data["n"], data["index"])
    if data["n"] != len(found.commits) or place in found.opened:
        raise _BundleFault(f"envelope {data['index']} of {data['n']} is out of order")
    found.opened[place] = StoredEnvelope(data["payload"].encode(), _hash(data["salt"]))


def _disclosure(found: _BundleReader, data: dict[str, Any]) -> None:
    _check(data, lane=int, epoch=int, link=str)
    place = (data["lane"], data["epoch"])
    if place in found.links:
        raise _BundleFault(f"epoch {data['epoch']} of lane {data['lane']} is disclosed twice")
    found.links[place] = _hash(data["link"])


def _key(found: _BundleReader, data: dict[str, Any]) -> None:
    _check(data, **({"rotation": str} if "rotation" in data else {}), name=str, public=str)
    if any(key.public.hex() == data["public"] for key in found.keys):
        raise _BundleFault("it appears twice")
    if "rotation" in data:
        check_rotation(data["rotation"])
    found.keys.append(VouchedKey(data["name"], _hash(data["public"]), data.get("rotation")))


def _checkpoint(found: _BundleReader, data: dict[str, Any]) -> None:
    _check(data, note=str)
    if data["note"] in found.notes:
        raise _BundleFault("it appears twice")
    try:
        sizes = [checkpoint.parse(note).size for note in (*found.notes[-1:], data["note"])]
    except BadNote as fault:
        raise _BundleFault(str(fault)) from fault
    if sizes != sorted(sizes):
        raise _BundleFault("checkpoints must be ordered by size")
    found.notes.append(data["note"])


def _trailer(found: _BundleReader, data: dict[str, Any]) -> None:
    _check(data, checkpoints=int, count=int, head=str)
    _hash(data["head"])
    if data["count"] < 0:
        raise _BundleFault("count must not be negative")
    if data["checkpoints"] != len(found.notes):
        raise _BundleFault(f"{len(found.notes)} checkpoints precede it, it counts {data['checkpoints']}")
    if found.keys and not found.notes:
        raise _BundleFault("it has keys but no checkpoint that they signed")
    found.trailer = data


_END: Final = ("disclosure", "key", "checkpoint", "trailer")
_NEXT: Final[Mapping[str | None, tuple[str, ...]]] = {
    None: ("header",),
    "header": ("command", *_END),
    "command": ("commit",),
    "commit": ("opened", "command", *_END),
    "opened": ("opened", "command", *_END),
    "disclosure": _END,
    "key": _END[1:],
    "checkpoint": _END[2:],
    "trailer": (),
}
"""The kinds that may follow each kind."""

_LINES: Final = {
    "header": _header,
    "command": _command,
    "commit": _commit,
    "opened": _opened,
    "disclosure": _disclosure,
    "key": _key,
    "checkpoint": _checkpoint,
    "trailer": _trailer,
}


def _check(data: Mapping[str, Any], **kinds: type) -> None:
    if data.keys() != kinds.keys():
        raise _BundleFault(f"its members are not {', '.join(kinds)}")
    for name, kind in kinds.items():
        if type(data[name]) is not kind:
            raise _BundleFault(f"{name} must be of type {kind.__name__}")


def _hash(text: str) -> bytes:
    if not _HASH.fullmatch(text):
        raise _BundleFault("expected 64 hexadecimal digits")
    return bytes.fromhex(text)
