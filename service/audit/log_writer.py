"""Write the public log: append what was proposed, and sign a checkpoint of it.

Laws. A signed checkpoint of the log extends every earlier one that this machine or the store remembers. If
the store has less, or something else, nothing is appended and nothing is signed: the log stops, and says so,
because a log that goes on from an older copy would be two logs of one name. A checkpoint is remembered on
this machine before it is published.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from service.audit import checkpoint
from service.audit.checkpoint import Checkpoint
from service.audit.signing import Signer
from service.audit.signing_memory import PUBLIC_LOG, RememberedHead, SigningMemory
from service.audit.tiles import WIDTH, TiledTree
from service.audit.tree import root
from service.record.log_entries import OPENING, leaf_hash, read_entry
from service.stores.public_log import PublicLog

BATCH: Final = 256
_MOST_TRIES: Final = 100


class LogDisputed(Exception):
    """The stored log does not continue what was signed; *size* is that of the signed checkpoint."""

    def __init__(self, why: str, size: int, stored: int) -> None:
        super().__init__(f"{why}: a checkpoint of {size} entries was signed, and the store has {stored}")
        self.why = why
        self.size = size
        self.stored = stored


ROLLED_BACK: Final = "rolled_back"
FORKED: Final = "forked"


def log_name(origin: str) -> str:
    """Return the origin of the log's checkpoints, which is also the name of its key."""
    return f"{origin}/log"


@dataclass
class LogWriter:
    """Writes for one process; the compare-and-set of the store lets any number of processes write."""

    log: PublicLog
    memory: SigningMemory
    signer: Callable[[], Signer]
    _checked: Checkpoint | None = None
    """The greatest checkpoint with which the store was compared."""

    def write(self) -> int:
        """Append what was proposed, and sign; return the number of new entries. Raises `LogDisputed`."""
        appended = 0
        for _ in range(_MOST_TRIES):
            proposed = self.log.proposed(BATCH)
            size = self.log.size()
            self.check(size)
            fresh = sorted(self.log.missing(proposed), key=_comes_later)
            if fresh and not self.log.append(size, fresh):
                continue  # another worker was first
            appended += len(fresh)
            self.log.index([(read_entry(raw).encounter, raw) for raw in proposed])
            self._sign(size + len(fresh))
            self.log.settle(proposed)
            if len(proposed) < BATCH:
                break
        return appended

    def check(self, size: int) -> None:
        """Compare the stored log, of *size* entries, with the checkpoints that were signed."""
        for known in self._remembered():
            if known.size > size:
                raise LogDisputed(ROLLED_BACK, known.size, size)
            if known != self._checked and self.tree(known.size).root != known.root:
                raise LogDisputed(FORKED, known.size, size)
            if self._checked is None or known.size > self._checked.size:
                self._checked = known

    def tree(self, size: int) -> TiledTree:
        """Return the tree of the first *size* entries."""
        return TiledTree(size, self.log.tile)

    def _remembered(self) -> list[Checkpoint]:
        seen, latest = self.memory.seen(PUBLIC_LOG), self.log.latest()
        known = [] if latest is None else [checkpoint.parse(latest[1])]
        if seen is not None:
            known.append(checkpoint.parse(seen.note))
        if self._checked is not None:
            known.append(self._checked)
        return known

    def _sign(self, size: int) -> None:
        """Publish the checkpoint of *size* entries, unless there is one of as many."""
        self._complete_tiles(size)
        latest = self.log.latest()
        if size == 0 or (latest is not None and latest[0] >= size):
            return
        signer = self.signer()
        point = Checkpoint(log_name(signer.origin), size, self.tree(size).root)
        note = checkpoint.sign(point, signer.secret)
        self.memory.remember(RememberedHead(PUBLIC_LOG, size, point.root, note))
        self.log.put_checkpoint(size, note)
        self._checked = point

    def _complete_tiles(self, size: int) -> None:
        """Store the root of every tile that is full now, from the lowest level up."""
        level = 1
        while (count := size // WIDTH**level) > 0:
            for at in range(self.log.tiles(level), count):
                self.log.put_hash(level, at, root(self.log.tile(level - 1, at, WIDTH)))
            level += 1

    def put_back(self, entries: list[bytes], upto: Checkpoint) -> int:
        """Append the entries of a mirror that the store has lost, up to the signed checkpoint *upto*.

        Return their number. Raises `LogDisputed` if what the store has and these entries do not make *upto*.
        """
        size = self.log.size()
        lost = entries[size : upto.size]
        tree = self.tree(size).frontier
        for raw in lost:
            tree = tree.append(leaf_hash(raw))
        if tree.size != upto.size or tree.root() != upto.root:
            raise LogDisputed(FORKED, upto.size, size)
        for start in range(0, len(lost), BATCH):
            part = lost[start : start + BATCH]
            if not self.log.append(size + start, part):
                raise LogDisputed(FORKED, upto.size, self.log.size())
            self.log.index([(read_entry(raw).encounter, raw) for raw in part])
            self._complete_tiles(size + start + len(part))
        self._checked = upto
        return len(lost)


def _comes_later(raw: bytes) -> tuple[bool, int]:
    """Order entries that were proposed at one instant: openings, then heads by their size."""
    entry = read_entry(raw)
    return entry.kind != OPENING, entry.size
