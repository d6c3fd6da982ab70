"""Keep what a witness has cosigned, in one SQLite file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from service.audit import checkpoint
from service.audit.checkpoint import Checkpoint

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS cosigned (
    origin TEXT PRIMARY KEY, note TEXT NOT NULL, at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS contradictions (origin TEXT NOT NULL, note TEXT NOT NULL, at INTEGER NOT NULL);
"""
_PATIENCE_S: Final = 10.0
_MOST_KEPT: Final = 100
"""Contradictions that are kept of one log: one is proof enough, and a stranger sends as many as it likes."""


@dataclass
class _Change:
    """One log in a transaction."""

    db: sqlite3.Connection
    origin: str
    standing: Checkpoint | None

    def put(self, point: Checkpoint, note: str, now: int) -> None:
        """Note that *point* is cosigned."""
        assert point.origin == self.origin, "one log is changed at a time"
        self.db.execute("INSERT OR REPLACE INTO cosigned VALUES (?, ?, ?)", (self.origin, note, now))

    def keep_contradiction(self, note: str, now: int) -> None:
        """Keep a signed note that contradicts what is cosigned."""
        known = self.db.execute("SELECT note FROM contradictions WHERE origin = ?", (self.origin,)).fetchall()
        if len(known) < _MOST_KEPT and (note,) not in known:
            self.db.execute("INSERT INTO contradictions VALUES (?, ?, ?)", (self.origin, note, now))


class WitnessStore:
    """The file at *path*, which is created for its owner alone. Any thread and process may use it."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        self._path = path
        with closing(self._connected()) as db:
            db.execute("PRAGMA journal_mode=WAL")
            db.executescript(_TABLES)

    @contextmanager
    def changing(self, origin: str) -> Iterator[_Change]:
        """Yield the log *origin* in one transaction, which is on disk when the block ends."""
        with closing(self._connected()) as db:
            db.execute("PRAGMA synchronous=FULL")
            db.execute("BEGIN IMMEDIATE")
            with db:
                yield _Change(db, origin, _standing(db, origin))

    def standing(self, origin: str) -> Checkpoint | None:
        """Return the last checkpoint of *origin* that was cosigned."""
        with closing(self._connected()) as db:
            return _standing(db, origin)

    def contradictions(self, origin: str) -> list[tuple[int, str]]:
        """Return the signed notes that contradict what was cosigned: when each was shown, and its text."""
        with closing(self._connected()) as db:
            return db.execute("SELECT at, note FROM contradictions WHERE origin = ?", (origin,)).fetchall()

    def _connected(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=_PATIENCE_S)


def _standing(db: sqlite3.Connection, origin: str) -> Checkpoint | None:
    rows = db.execute("SELECT note FROM cosigned WHERE origin = ?", (origin,)).fetchall()
    return checkpoint.parse(rows[0][0]) if rows else None
