"""Make and read log proofs: the entries of one fight in the public log, proved by signed checkpoints.

A fight is an encounter with every line of play that led to it. A log proof (`rewound/log-proof/1`) is one
canonical JSON object. It has checkpoints by rising size, each with the proof that it extends the one before,
and entries, each proved in the first checkpoint that covers it.

Laws. Whatever is read is verified here: signatures of the log, consistency, inclusion. Cosignatures are read
with their times; whether they are enough is for the policy to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from service.audit import checkpoint, cosignature, notes
from service.audit.checkpoint import Checkpoint
from service.audit.notes import BadNote, verifier_key
from service.audit.tiles import TiledTree
from service.audit.tree import includes, is_prefix
from service.audit.witness_policy import Party, Policy
from service.record.canonical import NotCanonical, dumps, read_strictly
from service.record.log_entries import LINE, BadEntry, LogEntry, leaf_hash, read_entry
from service.rules.kernel.hexadecimal import is_hex
from service.stores.public_log import PublicLog

FORMAT: Final = "rewound/log-proof/1"
MOST_BYTES: Final = 32 * 2**20
_MOST_TRIED: Final = 64
"""Checkpoints behind an entry among which one with cosignatures is looked for."""


class BadLogProof(ValueError):
    """The bytes are not a log proof, or something in them does not hold."""


@dataclass(frozen=True, slots=True)
class LogPoint:
    """A checkpoint of the log, and when each witness of the policy cosigned it."""

    checkpoint: Checkpoint
    times: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class LoggedEntry:
    """An entry, its index in the log, and the first checkpoint of the proof that covers it."""

    entry: LogEntry
    index: int
    point: int


@dataclass(frozen=True, slots=True)
class LogView:
    """What somebody was shown of the log: every value is verified."""

    points: Sequence[LogPoint]
    entries: Sequence[LoggedEntry]


# --- making ------------------------------------------------------------------------------------------


def make(log: PublicLog, *lines: str) -> bytes:
    """Return the log proof of a fight: the entries of its *lines*, the one that is played last.

    Lines that the log says led to one of them are added. Only entries that the latest checkpoint covers are
    in it.
    """
    newest = log.latest()
    latest = 0 if newest is None else newest[0]
    entries = sorted(_of_fight(log, lines, latest))
    chosen = sorted({_covering(log, index) for index, _ in entries} | ({latest} if latest else set()))
    trees = {size: TiledTree(size, log.tile) for size in chosen}
    points = []
    for before, size in pairwise([0, *chosen]):
        proof = [each.hex() for each in trees[size].consistency(before)]
        points.append({"note": log.checkpoint(size), "consistency": proof})
    proved = []
    for index, raw in entries:
        size = next(size for size in chosen if size > index)
        path = [each.hex() for each in trees[size].inclusion(index)]
        proved.append({"index": index, "entry": raw.decode(), "proof": path})
    data = {"format": FORMAT, "encounter": lines[-1], "checkpoints": points, "entries": proved}
    return dumps(data) + b"\n"


def _of_fight(log: PublicLog, lines: Sequence[str], latest: int) -> Iterator[tuple[int, bytes]]:
    """Yield the entries before *latest* of *lines*, and of those that their entries name."""
    seen, left = set[str](), list(lines)
    while left:
        line = left.pop()
        if line in seen:
            continue
        seen.add(line)
        for index, raw in log.of(line):
            if index < latest:
                yield index, raw
                entry = read_entry(raw)
                left += [entry.ruled_in, entry.parent] if entry.kind == LINE else []


def _covering(log: PublicLog, index: int) -> int:
    """Return the size of the first checkpoint over *index* that somebody cosigned, or else of the first."""
    behind = log.sizes_after(index, _MOST_TRIED)
    for size in behind:
        note = log.checkpoint(size)
        if note is not None and len(notes.parse(note).signatures) > 1:
            return size
    return behind[0]


# --- reading -----------------------------------------------------------------------------------------


def read(raw: bytes, lines: Sequence[str], logs: Iterable[Party], policy: Policy) -> LogView:
    """Return what the log proof *raw* shows of a fight, whose *lines* end with the one that is played.

    *logs* are the accepted logs, *policy* names the witnesses. Raises `BadLogProof`.
    """
    try:
        data = _form(raw)
        if data["encounter"] != lines[-1]:
            raise BadLogProof(f"it is of {data['encounter']}")
        points = _points(data["checkpoints"], list(logs), policy)
        return LogView(points, _entries(data["entries"], points, lines))
    except (NotCanonical, BadNote, BadEntry) as fault:
        raise BadLogProof(str(fault)) from fault


def _form(raw: bytes) -> dict[str, Any]:
    if len(raw) > MOST_BYTES:
        raise BadLogProof(f"more than {MOST_BYTES} bytes")
    data = read_strictly(raw.removesuffix(b"\n"))
    _check(data, format=str, encounter=str, checkpoints=list, entries=list)
    if data["format"] != FORMAT:
        raise BadLogProof(f"its format is not {FORMAT}")
    for each in data["checkpoints"]:
        _check(each, note=str, consistency=list)
    for each in data["entries"]:
        _check(each, index=int, entry=str, proof=list)
    return dict(data)


def _check(data: object, **types: type) -> None:
    if not isinstance(data, dict) or set(data) != set(types):
        raise BadLogProof(f"an object does not have exactly the members {', '.join(types)}")
    for name, kind in types.items():
        if type(data[name]) is not kind:
            raise BadLogProof(f"{name} has another type")


def _hashes(listed: list[object]) -> list[bytes]:
    if not all(map(is_hex, listed)):
        raise BadLogProof("a proof is a list of hashes, 64 lower-case hexadecimal digits each")
    return [bytes.fromhex(str(each)) for each in listed]


def _points(listed: list[dict[str, Any]], logs: Sequence[Party], policy: Policy) -> list[LogPoint]:
    found: list[LogPoint] = []
    for each in listed:
        point, proof = checkpoint.parse(each["note"]), _hashes(each["consistency"])
        _check_signed(each["note"], point, logs)
        before = found[-1].checkpoint if found else None
        if point.size == 0:
            raise BadLogProof("a log of no entries proves nothing")
        if before is not None and (point.origin != before.origin or point.size <= before.size):
            raise BadLogProof("checkpoints of one log stand by rising size")
        if before is None and proof:
            raise BadLogProof("there is nothing that the first checkpoint extends")
        if before is not None and not is_prefix(before.size, point.size, proof, before.root, point.root):
            raise BadLogProof(f"the checkpoint of {point.size} entries does not extend that of {before.size}")
        found.append(LogPoint(point, times_of(each["note"], policy)))
    return found


def _check_signed(note: str, point: Checkpoint, logs: Sequence[Party]) -> None:
    """Raise `BadNote` or `BadLogProof` unless one of *logs* has signed *note*, under its own name."""
    faults = []
    for log in logs:
        if log.name != point.origin:
            continue
        try:
            notes.verify(note, verifier_key(log.name, log.public))
        except BadNote as fault:
            faults.append(fault)
        else:
            return
    if faults:
        raise faults[0]
    raise BadLogProof(f"{point.origin} is not an accepted log")


def times_of(note: str, policy: Policy) -> dict[str, int]:
    """Return when each witness of *policy* cosigned *note*, by its name in the policy."""
    read_note = notes.parse(note)
    times = {
        name: cosignature.cosigned_at(read_note, party.name, party.public)
        for name, party in policy.witnesses.items()
    }
    return {name: time for name, time in times.items() if time is not None}


def _entries(
    listed: list[dict[str, Any]], points: Sequence[LogPoint], lines: Sequence[str]
) -> list[LoggedEntry]:
    found: list[LoggedEntry] = []
    for each in listed:
        index, raw = each["index"], each["entry"].encode()
        if index < 0 or (found and index <= found[-1].index):
            raise BadLogProof("entries stand by rising index")
        entry = read_entry(raw)
        if entry.encounter not in lines:
            raise BadLogProof(f"entry {index} is of {entry.encounter}, which is not a line of this fight")
        at = next((at for at, point in enumerate(points) if point.checkpoint.size > index), None)
        if at is None:
            raise BadLogProof(f"no checkpoint covers entry {index}")
        point = points[at].checkpoint
        if not includes(leaf_hash(raw), index, point.size, _hashes(each["proof"]), point.root):
            raise BadLogProof(f"entry {index} is not in the log of {point.size} entries")
        found.append(LoggedEntry(entry, index, at))
    return found
