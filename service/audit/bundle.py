"""Write and read bundles: one file with all evidence about an encounter.

A bundle is JSON Lines: a header; for each number its command and its commit, then the envelopes its reader
may open; disclosed links; keys and the checkpoints they signed; a trailer with count and head. Each line of
play that continues an earlier one follows in the same way, with its own commits alone. A bundle contains
commands and commits as the exact text that was hashed.

Laws. Every line is canonical JSON. The reader is strict: one order, one spelling, bounded sizes. A bundle
contains what its seat may see, so it withholds a request while an envelope of its commit is closed to the
seat. A fault names the commit that it concerns; the audit reports it as `malformed`. A last line without a
line feed was cut off and is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from service.audit import checkpoint
from service.audit.completeness import may_read
from service.audit.evidence import Evidence, Receipt
from service.audit.integrity import read_commit
from service.audit.notes import BadNote
from service.audit.receipts import receipt_encounter
from service.audit.signing import VouchedKey, check_rotation
from service.audit.verdict import MALFORMED, NOT_A_BUNDLE, Verdict
from service.core.views import Reader
from service.record.canonical import NotCanonical, commit_hash, dumps, eid_of, read_strictly
from service.record.commit import Commit, load_commit
from service.record.envelopes import Place, StoredEnvelope
from service.record.occasions import occasions_of
from service.record.subjects import REVEALED
from service.rules.kernel.hexadecimal import is_hex

FORMAT: Final = "rewound/bundle/1"
MAX_BYTES: Final = 256 * 2**20
MAX_LINE: Final = 8 * 2**20
MAX_COMMITS: Final = 1_000_000

SEAT: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,23}")


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
    """Yield the lines of the bundle of one record for *seat*; see `write_fight`."""
    return write_fight([evidence], seat)


def write_fight(lines: Sequence[Evidence], seat: str) -> Iterator[bytes]:
    """Yield the lines of the bundle of a fight for *seat*: its lines of play, the one that is played last.

    Each has its whole record, and nothing is withheld from it; each but the first continues an earlier one. A
    commit is written once, with what the seat may see in any of the lines that have it.
    """
    records = [[load_commit(raw) for raw in each.commits] for each in lines]
    readers: dict[str, list[Reader]] = {}
    for record in records:
        reader = Reader(seat, occasions_of(record))
        for commit in record:
            readers.setdefault(commit.hash, []).append(reader)
    edition = records[0][0].edition if records[0] else ""
    yield _line(kind="header", format=FORMAT, encounter=lines[0].encounter, edition=edition, seat=seat)
    for number, (evidence, record) in enumerate(zip(lines, records, strict=True)):
        first = 0
        if number:
            first, parent = _left(records[:number], record)
            yield _line(kind="line", encounter=evidence.encounter, parent=lines[parent].encounter, n=first)
        for commit in record[first:]:
            yield from _moment(evidence, commit, readers[commit.hash])
        yield from _ended(evidence, evidence.notes if not number else _own_notes(evidence, first))


def _left(earlier: Sequence[Sequence[Commit]], record: Sequence[Commit]) -> tuple[int, int]:
    """Return how many commits a record shares with one of *earlier*, at most, and which one that is."""
    found = []
    for index, other in enumerate(earlier):
        same = [one.hash == two.hash for one, two in zip(record, other, strict=False)]
        found.append((same.index(False) if False in same else len(same), -index))
    n, index = max(found)
    return n, -index


def _moment(evidence: Evidence, commit: Commit, readers: Sequence[Reader]) -> Iterator[bytes]:
    """Yield the lines of one command and its commit."""
    request = evidence.requests[commit.n - 1]
    if request is not None and any(may_read(reader, request, commit) for reader in readers):
        yield _line(kind="command", n=commit.n, bytes=request.decode())
    else:
        yield _line(kind="command", n=commit.n, withheld=True)
    yield _line(kind="commit", n=commit.n, bytes=commit.raw.decode())
    for index, event in enumerate(commit.events):
        opened = evidence.opened.get((commit.n, index))
        if opened is not None and "sealed" in event and any(reader.may_open(event) for reader in readers):
            payload, salt = opened.payload.decode(), opened.salt.hex()
            yield _line(kind="opened", n=commit.n, index=index, payload=payload, salt=salt)


def _own_notes(evidence: Evidence, first: int) -> list[str]:
    """Return the checkpoints of a line beyond commit *first*, which the lines before it have signed."""
    return [note for note in evidence.notes if checkpoint.size_of(note) > first]


def _ended(evidence: Evidence, notes: Iterable[str]) -> Iterator[bytes]:
    """Yield what follows the commits of a line of play."""
    for (lane, epoch), link in sorted(evidence.links.items()):
        yield _line(kind="disclosure", lane=lane, epoch=epoch, link=link.hex())
    notes = sorted(notes, key=checkpoint.size_of)
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
class _LineReader:
    """What has been read of one line of play: its record begins with what it has of its parent."""

    encounter: str = ""
    last: str | None = None
    """The kind of the last line."""
    shared: int = 0
    """How many commits it has of its parent."""
    trailer: dict[str, Any] | None = None
    requests: list[bytes | None] = field(default_factory=list)
    commits: list[bytes] = field(default_factory=list)
    opened: dict[Place, StoredEnvelope] = field(default_factory=dict)
    links: dict[tuple[int, int], bytes] = field(default_factory=dict)
    keys: list[VouchedKey] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    earlier_keys: tuple[VouchedKey, ...] = ()
    earlier_notes: tuple[str, ...] = ()
    """The keys and checkpoints of the lines before it, up to where it leaves them."""


@dataclass(slots=True)
class _BundleReader:
    """What has been read of a bundle so far."""

    header: dict[str, Any] | None = None
    lines: list[_LineReader] = field(default_factory=lambda: [_LineReader()])

    @property
    def line(self) -> _LineReader:
        """The line of play that is being read."""
        return self.lines[-1]


def read(
    raw: bytes,
    receipts: Iterable[Receipt] = (),
    pinned: Iterable[bytes] = (),
    signed_receipts: Iterable[bytes] = (),
) -> Evidence:
    """Return the evidence of the line that is played, the last one; see `read_fight`."""
    return read_fight(raw, receipts, pinned, signed_receipts)[-1]


def read_fight(
    raw: bytes,
    receipts: Iterable[Receipt] = (),
    pinned: Iterable[bytes] = (),
    signed_receipts: Iterable[bytes] = (),
) -> tuple[Evidence, ...]:
    """Return the evidence of each line of play in a bundle's bytes, with its whole record.

    Only the format is checked: raises `BadBundle`. *pinned* are the public keys that the caller trusts. A
    receipt is of the first line that has its commit, a signed one of the line that it names, any other of the
    last line.
    """
    if len(raw) > MAX_BYTES:
        raise BadBundle(0, 0, f"more than {MAX_BYTES} bytes")
    found = _BundleReader()
    lines = raw.split(b"\n")[:-1]
    _check_kind(lines)
    for number, line in enumerate(lines, 1):
        at = max(len(found.line.requests), len(found.line.commits))
        _take(found, number, at, _parse(number, at, line))
    assert found.header is not None, "a first line that is not a header was read"
    keys, signed = tuple(pinned), tuple(signed_receipts)
    read_ = [_evidence(found.header, each, keys) for each in found.lines]
    came = [_occasions(each.commits) for each in read_]
    for i, each in enumerate(read_):
        others = [(_common(each, other), came[j]) for j, other in enumerate(read_) if j != i]
        read_[i] = replace(each, shared=tuple(others))
    for receipt in receipts:
        at = next((i for i, each in enumerate(read_) if _has(each, receipt)), len(read_) - 1)
        read_[at] = replace(read_[at], receipts=(*read_[at].receipts, receipt))
    return tuple(_with_receipts(read_, signed))


def _has(line: Evidence, receipt: Receipt) -> bool:
    is_there = 1 <= receipt.n <= len(line.commits)
    return is_there and commit_hash(line.commits[receipt.n - 1]).hex() == receipt.hash


def _evidence(header: Mapping[str, Any], line: _LineReader, pinned: tuple[bytes, ...]) -> Evidence:
    if line.trailer is None:  # the bundle was cut off, so at least one more commit is expected
        count, head = len(line.commits) + 1, ""
    else:
        count, head = line.trailer["count"], line.trailer["head"]
    known = {key.public: key for key in (*line.earlier_keys, *line.keys)}
    return Evidence(
        encounter=line.encounter,
        requests=line.requests[: len(line.commits)],
        commits=line.commits,
        opened=line.opened,
        count=count,
        head=head,
        links=line.links,
        notes=(*line.earlier_notes, *line.notes),
        keys=tuple(known.values()),
        pinned=pinned,
        seat=header["seat"],
        named_edition=header["edition"],
    )


def _common(one: Evidence, two: Evidence) -> int:
    """Return how many commits two records have in common."""
    pairs = enumerate(zip(one.commits, two.commits, strict=False))
    return next((n for n, (a, b) in pairs if a is not b and a != b), min(len(one.commits), len(two.commits)))


def _occasions(commits: Iterable[bytes]) -> dict[str, int]:
    """Return the occasions of a record that nothing has been checked of; a commit that is none has none."""
    found: dict[str, int] = {}
    for n, raw in enumerate(commits, 1):
        if not any(trace in raw for trace in REVEALED.traces):
            continue
        try:
            commit = read_commit(raw)
        except NotCanonical:
            continue
        for event in commit.events:
            if isinstance(event.get("occasion"), str):
                found.setdefault(event["occasion"], n)
    return found


def _with_receipts(lines: Sequence[Evidence], signed: tuple[bytes, ...]) -> Iterator[Evidence]:
    """Yield *lines*, each with the signed receipts that name it; the last one also has all others."""
    named = [receipt_encounter(raw) for raw in signed]
    sides = {each.encounter for each in lines[:-1]}
    for line in lines:
        mine = [name == line.encounter or (line is lines[-1] and name not in sides) for name in named]
        yield replace(
            line, signed_receipts=tuple(raw for raw, is_mine in zip(signed, mine, strict=True) if is_mine)
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
    last = found.line.last
    if kind not in _NEXT[last]:
        raise BadBundle(number, at, f"a line of kind {kind} cannot follow {last or 'nothing'}")
    try:
        _LINES[kind](found, data)
    except (_BundleFault, KeyError, TypeError, ValueError) as fault:
        raise BadBundle(number, at, f"{kind}: {fault}") from fault
    found.line.last = kind


class _BundleFault(Exception):
    """A line breaks the format."""


def _header(found: _BundleReader, data: dict[str, Any]) -> None:
    _check(data, format=str, encounter=str, edition=str, seat=str)
    if not SEAT.fullmatch(data["seat"]):
        raise _BundleFault(f"{data['seat']!a} is not a valid seat id")
    eid_of(data["encounter"])
    found.header = data
    found.line.encounter = data["encounter"]


def _line_of_play(found: _BundleReader, data: dict[str, Any]) -> None:
    _check(data, encounter=str, parent=str, n=int)
    eid_of(data["encounter"])
    if any(line.encounter == data["encounter"] for line in found.lines):
        raise _BundleFault("its line of play is there already")
    parent = next((line for line in found.lines if line.encounter == data["parent"]), None)
    n = data["n"]
    if parent is None or not 1 <= n <= len(parent.commits):
        raise _BundleFault("it continues no commit that is above it")
    notes = (*parent.earlier_notes, *parent.notes)
    found.lines.append(
        _LineReader(
            encounter=data["encounter"],
            shared=n,
            requests=parent.requests[:n],
            commits=parent.commits[:n],
            opened={place: opened for place, opened in parent.opened.items() if place[0] <= n},
            earlier_keys=(*parent.earlier_keys, *parent.keys),
            earlier_notes=tuple(note for note in notes if checkpoint.parse(note).size <= n),
        )
    )


def _command(found: _BundleReader, data: dict[str, Any]) -> None:
    if "withheld" in data:
        _check(data, n=int, withheld=bool)
        if not data["withheld"]:
            raise _BundleFault("withheld must be true if present")
    else:
        _check(data, n=int, bytes=str)
    if data["n"] != len(found.line.commits) + 1:
        raise _BundleFault(f"number {data['n']} is out of order")
    if data["n"] > MAX_COMMITS:
        raise _BundleFault(f"more than {MAX_COMMITS} commands")
    found.line.requests.append(data["bytes"].encode() if "bytes" in data else None)


def _commit(found: _BundleReader, data: dict[str, Any]) -> None:
    _check(data, n=int, bytes=str)
    if data["n"] != len(found.line.commits) + 1:
        raise _BundleFault(f"number {data['n']} is out of order")
    found.line.commits.append(data["bytes"].encode())


def _opened(found: _BundleReader, data: dict[str, Any]) -> None:
    _check(data, n=int, index=int, payload=str, salt=str)
    place = (data["n"], data["index"])
    if data["n"] != len(found.line.commits) or place in found.line.opened:
        raise _BundleFault(f"envelope {data['index']} of {data['n']} is out of order")
    found.line.opened[place] = StoredEnvelope(data["payload"].encode(), _hash(data["salt"]))


def _disclosure(found: _BundleReader, data: dict[str, Any]) -> None:
    _check(data, lane=int, epoch=int, link=str)
    place = (data["lane"], data["epoch"])
    if place in found.line.links:
        raise _BundleFault(f"epoch {data['epoch']} of lane {data['lane']} is disclosed twice")
    found.line.links[place] = _hash(data["link"])


def _key(found: _BundleReader, data: dict[str, Any]) -> None:
    _check(data, **({"rotation": str} if "rotation" in data else {}), name=str, public=str)
    if any(key.public.hex() == data["public"] for key in found.line.keys):
        raise _BundleFault("it appears twice")
    if "rotation" in data:
        check_rotation(data["rotation"])
    found.line.keys.append(VouchedKey(data["name"], _hash(data["public"]), data.get("rotation")))


def _checkpoint(found: _BundleReader, data: dict[str, Any]) -> None:
    _check(data, note=str)
    line = found.line
    if data["note"] in line.notes:
        raise _BundleFault("it appears twice")
    try:
        sizes = [checkpoint.parse(note).size for note in (*line.notes[-1:], data["note"])]
    except BadNote as fault:
        raise _BundleFault(str(fault)) from fault
    if sizes != sorted(sizes) or (line.shared and sizes[0] <= line.shared):
        raise _BundleFault("checkpoints must be ordered by size, and beyond what the line shares")
    line.notes.append(data["note"])


def _trailer(found: _BundleReader, data: dict[str, Any]) -> None:
    _check(data, checkpoints=int, count=int, head=str)
    _hash(data["head"])
    line = found.line
    if data["count"] < 0:
        raise _BundleFault("count must not be negative")
    if data["checkpoints"] != len(line.notes):
        raise _BundleFault(f"{len(line.notes)} checkpoints precede it, it counts {data['checkpoints']}")
    if line.keys and not line.notes:
        raise _BundleFault("it has keys but no checkpoint that they signed")
    line.trailer = data


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
    "trailer": ("line",),
    "line": ("command",),
}
"""The kinds that may follow each kind."""

_LINES: Final = {
    "header": _header,
    "line": _line_of_play,
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
    if not is_hex(text):
        raise _BundleFault("expected 64 hexadecimal digits")
    return bytes.fromhex(text)
