"""Workers that are killed while they archive or bring back: nothing is lost, and nothing is there twice."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from signal import SIGKILL
from threading import Event
from typing import Any

import pytest

from service.audit.evidence import stored
from service.audit.notary import Notary
from service.audit.signing import publish
from service.audit.signing_memory import SigningMemory
from service.audit.verify import verify
from service.core.fold import Folder
from service.key_files import Keyring
from service.log import Log
from service.log.values import ArchivedTotals
from service.stores.archive.archive_log import with_archive
from service.stores.archive.container import keys_of
from service.stores.archive.entries import IDLE, RESTORING, find
from service.stores.archive.storage import DirectoryStorage
from service.stores.encounter_index import EncounterEntry, EncounterIndex
from tests.support.folding import fold_whole
from tests.support.tiny_game import EDITION, SHELF
from tests.support.tiny_table import KEY, SIGNER, eid
from tests.workers.conftest import ROOT, Hall
from workers.archiving import Archiver
from workers.fold import CommandFolder

AWAY = [
    ("before", "put"),
    ("after", "put"),
    ("before", "get"),
    ("before", "evict"),
    ("after", "evict"),
]
BACK = [
    ("before", "get"),
    ("before", "change_all"),
    ("after", "change_all"),
    ("before", "restore"),
    ("after", "restore"),
    ("before", "drop"),
    ("after", "drop"),
]


class Cold:
    """A played encounter, and what archives it."""

    def __init__(self, hall: Hall) -> None:
        self.log = hall.log
        self.url = hall.streams_url
        self.storage = DirectoryStorage(hall.directory / "archive")
        self.read = with_archive(hall.log, self.storage, keys_of(Keyring.of(KEY)))
        publish(hall.log, SIGNER, time.time())
        EncounterIndex(hall.log).enter(
            EncounterEntry(eid(), "owner", EDITION, "", "2026-01-02T00:00:00.000Z")
        )
        hall.open(eid())
        for _ in range(12):
            hall.do(eid(), "roll", sides=20)
        hall.do(eid(), "whisper", to=["ada"], note="xyzzy")
        fold_whole(CommandFolder(hall.log, Folder(hall.log, SHELF), Keyring.of(KEY), None), eid())
        Notary(hall.log, SigningMemory(hall.signing_memory), lambda: SIGNER).sign_head(eid())
        self.before = self.whole(hall.log)

    def archiver(self) -> Archiver:
        """Return one that lives, for what has been idle for a second."""
        later = lambda: time.time() + 60  # noqa: E731 - a clock
        return Archiver(self.log, SHELF, self.storage, keys_of(Keyring.of(KEY)), 1.0, Event(), clock=later)

    def killed(self, move: str, when: str, step: str) -> None:
        """Let a process *move* the encounter that is killed at *step*."""
        command = [sys.executable, "-m", "tests.workers.dying_archiver"]
        arguments = [self.url, str(self.storage.path), move, eid(), when, step]
        done = subprocess.run([*command, *arguments], cwd=ROOT, capture_output=True, check=False)
        assert done.returncode == -SIGKILL, done.stderr.decode()

    def whole(self, log: Log) -> tuple[Any, ...]:
        """Return all that is read of the encounter."""
        head = log.head(eid())
        assert head is not None
        return (
            (head.appended, head.folded, head.hash, head.frontier),
            log.commands(eid(), 0, 99),
            log.commits(eid(), 0, 99),
            log.sealed(eid(), 0, 99),
            log.marks(eid()),
            [log.find_key(eid(), "gm", str(n)) for n in range(1, 16)],
            log.secret(eid()),
        )

    def files(self) -> list[Path]:
        """Return the files of the archive."""
        return sorted(self.storage.path.glob("*"))

    def must_be_in_one_place(self) -> None:
        """Fail unless the encounter is read as before, from the store or from the file that it names."""
        assert self.whole(self.read) == self.before
        entry, head = find(self.log, eid()), self.log.head(eid())
        assert (entry is None) is (head is not None)
        size = 0 if entry is None else entry.size
        assert self.log.archived_totals() == ArchivedTotals(int(entry is not None), size)
        assert verify(stored(self.read, eid()), SHELF).verdict.is_sound


@pytest.fixture
def cold(hall: Hall) -> Cold:
    return Cold(hall)


@pytest.mark.parametrize(("when", "step"), AWAY, ids=map("-".join, AWAY))
def test_an_archiver_that_is_killed_loses_nothing(cold: Cold, when: str, step: str) -> None:
    cold.log.set_due(IDLE, [eid()], 0, reschedule=True)
    cold.killed("archive", when, step)
    cold.must_be_in_one_place()

    cold.archiver().look()

    cold.must_be_in_one_place()
    assert find(cold.log, eid()) is not None
    assert cold.log.due(IDLE, 2**53, 9) == []
    cold.read.forget(eid())
    assert cold.files() == []
    assert cold.log.archived_totals() == ArchivedTotals(0, 0)


@pytest.mark.parametrize(("when", "step"), BACK, ids=map("-".join, BACK))
def test_a_worker_that_is_killed_while_it_brings_back_loses_nothing(
    cold: Cold, hall: Hall, when: str, step: str
) -> None:
    cold.archiver().archive(eid())
    cold.log.set_due(RESTORING, [eid()], 0, reschedule=True)
    cold.killed("bring_back", when, step)
    cold.must_be_in_one_place()

    cold.archiver()._bring_back_all()  # noqa: SLF001 - and archive nothing after it

    cold.must_be_in_one_place()
    assert find(cold.log, eid()) is None
    assert cold.log.due(RESTORING, 2**53, 9) == []
    n = hall.do(eid(), "roll", sides=6)
    fold_whole(CommandFolder(cold.log, Folder(cold.log, SHELF), Keyring.of(KEY), None), eid())
    assert hall.folded(eid()) == n
    hall.check()
    cold.read.forget(eid())
    assert cold.files() == []
