"""Remember the last signed checkpoint of each encounter on this machine, outside the store.

A store that was rolled back, restored or swapped looks consistent. The signing memory detects this, so that
nothing is signed or played on that contradicts an earlier signature. It is one SQLite file, which any number
of workers share.

Laws. All threads of a process share one connection, and each step is one transaction. No connection survives
a fork, because SQLite counts its locks in memory that the child would take for its own.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from threading import Lock
from typing import Final
from weakref import WeakSet

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS signed (
    encounter TEXT PRIMARY KEY, size INTEGER NOT NULL, root BLOB NOT NULL, note TEXT NOT NULL,
    epoch INTEGER NOT NULL, owner TEXT NOT NULL DEFAULT '', fight TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID
"""
_ENCOUNTERS: Final = "SELECT encounter FROM signed WHERE encounter <> ? ORDER BY encounter"
_LATER: Final = ("owner", "fight")
"""Columns that files may lack which were created before they existed."""
PUBLIC_LOG: Final = "public-log"
"""In place of an encounter: the last checkpoint of the public log that this machine signed."""

_PATIENCE_S: Final = 10.0
_FORMER_NAME: Final = "witness.db"


@dataclass(frozen=True)
class RememberedHead:
    """The last signed checkpoint of an encounter."""

    encounter: str
    size: int
    root: bytes
    note: str
    epoch: int = 1
    """The open epoch after the last signed commit."""
    owner: str = ""
    """The encounter's owner, who sees a dispute even if the store has lost the encounter."""
    fight: str = ""
    """The first line of play of its fight, whose dice all lines throw; empty if nobody knows it."""


class SigningMemory:
    """The signing memory in the file at *path*, which is created if missing. Any thread may use it."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = path
        self._lock = Lock()
        self._db: sqlite3.Connection | None = None
        _LIVING.add(self)
        _take_over(path)
        _make_private(path)
        with self._step() as db:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute(_TABLE)
            there = {column[1] for column in db.execute("PRAGMA table_info(signed)").fetchall()}
            for name in _LATER:
                if name not in there:
                    db.execute(f"ALTER TABLE signed ADD COLUMN {name} TEXT NOT NULL DEFAULT ''")
            db.execute("CREATE INDEX IF NOT EXISTS fights ON signed (fight)")

    def seen(self, encounter: str) -> RememberedHead | None:
        """Return the last signed checkpoint of *encounter*, None if there is none."""
        with self._step() as db:
            rows = db.execute(
                "SELECT encounter, size, root, note, epoch, owner, fight FROM signed WHERE encounter = ?",
                (encounter,),
            ).fetchall()
        return RememberedHead(*rows[0]) if rows else None

    def lines_of(self, fight: str) -> list[RememberedHead]:
        """Return the last signed checkpoint of each line of play of *fight*, by the lines' ids."""
        with self._step() as db:
            rows = db.execute(
                "SELECT encounter, size, root, note, epoch, owner, fight FROM signed"
                " WHERE fight = ? ORDER BY encounter",
                (fight,),
            ).fetchall()
        return [RememberedHead(*row) for row in rows]

    def last_checkpoints(self, encounters: Iterable[str]) -> dict[str, RememberedHead]:
        """Return the last signed checkpoint of each of *encounters* that has one."""
        found = (self.seen(encounter) for encounter in encounters)
        return {seen.encounter: seen for seen in found if seen is not None}

    def remember(self, *seen: RememberedHead) -> None:
        """Store *seen* in one transaction; a record of an equal or greater size is not overwritten."""
        with self._step() as db:
            db.executemany(
                "INSERT INTO signed (encounter, size, root, note, epoch, owner, fight)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (encounter) DO UPDATE"
                " SET size = excluded.size, root = excluded.root, note = excluded.note,"
                " epoch = excluded.epoch, owner = excluded.owner, fight = excluded.fight"
                " WHERE excluded.size > signed.size",
                map(astuple, seen),
            )

    def forget(self, encounter: str) -> None:
        """Delete the record of *encounter*."""
        with self._step() as db:
            db.execute("DELETE FROM signed WHERE encounter = ?", (encounter,))

    def encounters(self) -> list[str]:
        """Return the encounters that were signed on this machine."""
        with self._step() as db:
            return [row[0] for row in db.execute(_ENCOUNTERS, (PUBLIC_LOG,))]

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._lock:
            self._shut()

    @contextmanager
    def _step(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection for one transaction."""
        with self._lock:
            if self._db is None:
                self._db = sqlite3.connect(self._path, timeout=_PATIENCE_S, check_same_thread=False)
            with self._db as db:
                yield db

    def _shut(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def before_fork(self) -> None:
        """Close the file, and keep threads from opening it until `after_fork`."""
        self._lock.acquire()
        self._shut()

    def after_fork(self) -> None:
        """Let threads open the file again, in the parent and in the child."""
        self._lock.release()


_LIVING: Final[WeakSet[SigningMemory]] = WeakSet()
_FORKING: Final[list[SigningMemory]] = []
"""The memories that are closed while the process forks."""


def _before_fork() -> None:
    _FORKING.extend(_LIVING)
    for memory in _FORKING:
        memory.before_fork()


def _after_fork() -> None:
    while _FORKING:
        _FORKING.pop().after_fork()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


def _take_over(path: Path) -> None:
    """Rename the file of a data directory that is older than the name `signing-memory.db`."""
    older = path.with_name(_FORMER_NAME)
    if not path.exists() and older.exists():
        for suffix in ("", "-wal", "-shm"):
            if (file := Path(f"{older}{suffix}")).exists():
                file.replace(f"{path}{suffix}")


def _make_private(path: Path) -> None:
    """Create the file or set its mode to 0600; files that SQLite creates beside it get the same mode."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    for file in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        if file.exists():
            file.chmod(0o600)
