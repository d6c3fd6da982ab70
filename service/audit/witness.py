"""Remember on this machine, apart from the store, what was signed last of each encounter.

A store that was rolled back, restored or swapped looks whole by itself. Whoever has signed remembers, so that
nothing is signed, or played on, that contradicts it. One SQLite file, which any number of workers share.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS signed (
    encounter TEXT PRIMARY KEY, size INTEGER NOT NULL, root BLOB NOT NULL, note TEXT NOT NULL,
    epoch INTEGER NOT NULL
) WITHOUT ROWID
"""
_PATIENCE_S: Final = 10.0


@dataclass(frozen=True)
class Seen:
    """What was signed last of an encounter."""

    encounter: str
    size: int
    root: bytes
    note: str
    epoch: int = 1
    """The epoch that was open after the last of its commits."""


class Witness:
    """The memory in the file at *path*; it is made where it is not there."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = path
        with self._open() as db:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute(_TABLE)
        path.chmod(0o600)

    def seen(self, encounter: str) -> Seen | None:
        """Return what was signed last of *encounter*, None if nothing was."""
        with self._open() as db:
            row = db.execute("SELECT * FROM signed WHERE encounter = ?", (encounter,)).fetchone()
        return None if row is None else Seen(*row)

    def remember(self, seen: Seen) -> None:
        """Remember *seen*, unless more was signed of its encounter by now."""
        with self._open() as db:
            db.execute(
                "INSERT INTO signed VALUES (?, ?, ?, ?, ?) ON CONFLICT (encounter) DO UPDATE"
                " SET size = excluded.size, root = excluded.root, note = excluded.note,"
                " epoch = excluded.epoch"
                " WHERE excluded.size > signed.size",
                (seen.encounter, seen.size, seen.root, seen.note, seen.epoch),
            )

    def forget(self, encounter: str) -> None:
        """Forget an encounter whose history was accepted as it is now."""
        with self._open() as db:
            db.execute("DELETE FROM signed WHERE encounter = ?", (encounter,))

    def encounters(self) -> list[str]:
        """Return the encounters of which something was signed here."""
        with self._open() as db:
            return [row[0] for row in db.execute("SELECT encounter FROM signed ORDER BY encounter")]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Give a connection for one step: it is committed, or nothing of it happened."""
        with closing(sqlite3.connect(self._path, timeout=_PATIENCE_S)) as db, db:
            yield db
