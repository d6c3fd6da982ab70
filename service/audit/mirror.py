"""Follow a public log into a directory, and count what it says.

The directory has the files of C2SP tlog-tiles (checkpoint, bundles of entries), so any web server serves it,
and every checkpoint that was seen.

Laws. The mirror never gives up an entry: a log that no longer begins with what it had is refused, and the
note that shows it is kept. Everything fetched is verified before it is written; the checkpoint comes last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from service.audit import checkpoint, notes
from service.audit.checkpoint import Checkpoint
from service.audit.notes import BadNote, verifier_key
from service.audit.tiles import ENTRIES, WIDTH, tile_path
from service.audit.tree import Frontier
from service.audit.witness_policy import Party
from service.record.log_entries import END, LINE, OPENING, BadEntry, LogEntry, leaf_hash, read_entry

_LENGTH_BYTES: Final = 2

Fetch = Callable[[str], bytes]
"""Return the file at a path below the log's prefix; raise `OSError`."""


class MirrorFault(Exception):
    """What was fetched is not the log that was followed so far."""


@dataclass(frozen=True)
class Mirror:
    """A directory that follows one log."""

    home: Path

    def entries(self) -> list[bytes]:
        """Return all entries, in order."""
        found: list[bytes] = []
        while (file := self.home / tile_path(ENTRIES, len(found) // WIDTH)).exists():
            found += entries_in(file.read_bytes())
        partial = (self.home / f"{tile_path(ENTRIES, len(found) // WIDTH)}.p").glob("*")
        newest = max(partial, key=lambda path: int(path.name), default=None)
        return found + (entries_in(newest.read_bytes()) if newest is not None else [])

    def latest(self) -> str | None:
        """Return the note of the newest checkpoint."""
        file = self.home / "checkpoint"
        return file.read_text("utf-8") if file.exists() else None

    def follow(self, fetch: Fetch, logs: Sequence[Party]) -> tuple[Checkpoint, int]:
        """Fetch what is new; return the newest checkpoint, and the number of new entries.

        Raises `MirrorFault`, `OSError`.
        """
        note = fetch("checkpoint").decode("utf-8", "replace")
        point = _signed(note, logs)
        entries = self.entries()
        known = len(entries)
        if point.size > known:
            entries = [*entries, *_fetched(fetch, known, point.size)]
        if _root(entries[: point.size]) != point.root:
            self._keep("contradictions", point, note)
            raise MirrorFault(
                f"the log of {point.size} entries does not begin with the {min(known, point.size)} it had; "
                f"its signed note is in {self.home / 'contradictions'}"
            )
        if point.size < known:
            return point, 0  # a copy that is behind; nothing in it is new
        self._write(entries, known)
        self._keep("checkpoints", point, note)
        (self.home / "checkpoint").write_text(note, "utf-8")
        return point, len(entries) - known

    def _write(self, entries: Sequence[bytes], known: int) -> None:
        for number in range(known // WIDTH, -(-len(entries) // WIDTH)):
            part = entries[number * WIDTH : (number + 1) * WIDTH]
            file = self.home / tile_path(ENTRIES, number, len(part))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"".join(len(raw).to_bytes(_LENGTH_BYTES, "big") + raw for raw in part))

    def _keep(self, folder: str, point: Checkpoint, note: str) -> None:
        home = self.home / folder
        home.mkdir(parents=True, exist_ok=True)
        (home / f"{point.size}-{point.root.hex()[:16]}").write_text(note, "utf-8")


def entries_in(raw: bytes) -> list[bytes]:
    """Return the entries of a bundle of entries; raises `MirrorFault`."""
    found, at = [], 0
    while at < len(raw):
        end = at + _LENGTH_BYTES + int.from_bytes(raw[at : at + _LENGTH_BYTES], "big")
        if end > len(raw):
            raise MirrorFault("a bundle of entries is cut off")
        found.append(raw[at + _LENGTH_BYTES : end])
        at = end
    return found


def _fetched(fetch: Fetch, known: int, size: int) -> Iterator[bytes]:
    for number in range(known // WIDTH, -(-size // WIDTH)):
        width = min(WIDTH, size - number * WIDTH)
        part = entries_in(fetch(tile_path(ENTRIES, number, width)))
        if len(part) != width:
            raise MirrorFault(f"bundle {number} has {len(part)} entries, not {width}")
        yield from part[max(0, known - number * WIDTH) :]


def _signed(note: str, logs: Sequence[Party]) -> Checkpoint:
    try:
        point = checkpoint.parse(note)
    except BadNote as fault:
        raise MirrorFault(f"the checkpoint is none: {fault}") from fault
    for log in logs:
        try:
            if log.name == point.origin and notes.verify(note, verifier_key(log.name, log.public)):
                return point
        except BadNote:
            continue
    raise MirrorFault(f"no log of the policy has signed the checkpoint of {point.origin}")


def _root(entries: Sequence[bytes]) -> bytes:
    tree = Frontier()
    for raw in entries:
        tree = tree.append(leaf_hash(raw))
    return tree.root()


# --- counting ----------------------------------------------------------------------------------------


UNKNOWN: Final = ""
"""Stands for the owner of an encounter whose opening is not in the log."""


@dataclass
class LogCounts:
    """What a log says of the encounters in it.

    An encounter that the log names without an opening was opened all the same, by an owner that nobody
    knows: a host cannot avoid the count by calling a fight the continuation of one.
    """

    openings: Counter[str] = field(default_factory=Counter)
    """By the owner's pseudonym."""
    lines: Counter[str] = field(default_factory=Counter)
    """Lines of play by which fights went on, by the pseudonym of the fight's owner."""
    open_of: dict[str, str] = field(default_factory=dict)
    """The encounters that have no end, with their owner's pseudonym."""
    unopened: list[str] = field(default_factory=list)
    """The encounters without an opening; `openings` counts them under `UNKNOWN`."""
    stray: list[str] = field(default_factory=list)
    """Lines with which no other line of the log ends: rulings that the host keeps beside those it shows."""
    contradictions: list[tuple[str, int]] = field(default_factory=list)
    """Encounters with two histories of one size."""
    unreadable: int = 0

    @property
    def unended(self) -> Counter[str]:
        """Encounters without an end, by the owner's pseudonym."""
        return Counter(self.open_of.values())


def count(entries: Sequence[bytes]) -> LogCounts:
    """Return what *entries* say. An encounter that another line continues ends when that line does."""
    found, read = LogCounts(), list[LogEntry]()
    roots: dict[tuple[str, int], str] = {}
    for raw in entries:
        try:
            entry = read_entry(raw)
        except BadEntry:
            found.unreadable += 1
            continue
        read.append(entry)
        if roots.setdefault((entry.encounter, entry.size), entry.hash) != entry.hash:
            found.contradictions.append((entry.encounter, entry.size))
    owners = {entry.encounter: entry.owner for entry in read if entry.kind == OPENING}
    lines = {entry.encounter: entry for entry in read if entry.kind == LINE}
    named = dict.fromkeys(each for entry in read for each in _named(entry))
    found.unopened = [each for each in named if each not in owners and each not in lines]
    found.openings = Counter([*owners.values(), *(UNKNOWN for _ in found.unopened)])
    found.lines = Counter(_owner(line, owners, lines) for line in lines)
    continued = {(entry.encounter, entry.continued_in) for entry in read if entry.kind == END}
    found.stray = [line for line, entry in lines.items() if (entry.ruled_in, line) not in continued]
    ended = {entry.encounter for entry in read if entry.kind == END}
    found.open_of = {each: _owner(each, owners, lines) for each in named if each not in ended}
    return found


def _named(entry: LogEntry) -> Iterator[str]:
    """Yield the encounters that *entry* names: its own, and those that it continues or that continue it."""
    yield from (each for each in (entry.encounter, entry.parent, entry.ruled_in, entry.continued_in) if each)


def _owner(encounter: str, owners: Mapping[str, str], lines: Mapping[str, LogEntry]) -> str:
    """Return the pseudonym of who opened the fight of *encounter*; `UNKNOWN` if its opening is not there."""
    seen = set[str]()
    while encounter in lines and encounter not in seen:
        seen.add(encounter)
        encounter = lines[encounter].ruled_in
    return owners.get(encounter, UNKNOWN)
