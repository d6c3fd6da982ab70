"""A fight that goes on in other lines, and its store put back or restored: no die falls a second time."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

import pytest

from service.api.app import create_app
from service.audit import bundle
from service.audit.backed_up import BackupCheck
from service.audit.fight import verify_fight
from service.audit.notary import Notary
from service.audit.signing_memory import SigningMemory
from service.cli.restore import suspend_open
from service.core.fold import Folder
from service.key_files import Keyring
from service.log import ALL_BUCKETS, Log
from service.log.memory import MemoryLog
from service.signals.heartbeats import record_heartbeat
from service.stores.archive.storage import DirectoryStorage
from service.stores.backups import restoring
from service.stores.backups.capture import captured
from service.usecases.services import make_services
from tests.api.client import Api, Table
from tests.api.conftest import BOTH, KEY, Worker, until_it_listens
from tests.api.test_amendments import ADD, ROLL, did, made
from tests.api.test_lines import undone
from tests.support.folding import fold_whole
from tests.support.tiny_table import SIGNER
from workers import notary
from workers.fold import CommandFolder, RecordNotAsSigned
from workers.notary import CheckpointSigner

END: Final = {"type": "end_round"}
PATIENCE_S: Final = 30.0


def copied(log: Log) -> MemoryLog:
    """Return a store with all that *log* has now."""
    assert isinstance(log, MemoryLog)
    made_ = MemoryLog()
    with log._lock:  # noqa: SLF001 - the store itself is copied, as a snapshot of its disk would be
        for name in ("_encounters", "_collections", "_schedules", "_dirty"):
            setattr(made_, name, deepcopy(getattr(log, name)))
    return made_


@contextmanager
def served(log: Log, memory: SigningMemory, table: Table) -> Iterator[Table]:
    """Give the same people at a service on *log*, whose worker remembers what it signed."""
    services = make_services(
        log, BOTH, ring=lambda _bucket: None, clock=time.time, keys=Keyring.of(KEY), mode="memory"
    )
    until_it_listens(services)
    stopping = Event()
    working = Thread(target=_work, args=(log, memory, stopping), daemon=True)
    working.start()
    app = create_app(services)
    try:
        yield Table(table.id, *(Api(app, who.token) for who in (table.gm, table.ada, table.bo)))
    finally:
        stopping.set()
        working.join()
        services.outcomes.close()


def _work(log: Log, memory: SigningMemory, stopping: Event) -> None:
    """Compare the store with what was signed, then fold what waits, and what is disputed again and again."""
    signing = CheckpointSigner(log, Notary(log, memory, lambda: SIGNER), lambda: SIGNER, stopping)
    folding = CommandFolder(log, Folder(log, BOTH), Keyring.of(KEY), signing)
    record_heartbeat(log, "worker-1", int(time.time() * 1000))
    signing.look()
    while not stopping.wait(0.01):
        for encounter in log.dirty(ALL_BUCKETS, int(time.time() * 1000)):
            with suppress(RecordNotAsSigned):
                fold_whole(folding, encounter)
        signing.work()


def ever_rolled(table: Table) -> dict[str, tuple[int, ...]]:
    """Return the faces of each roll of every line of play, by the roll's name."""
    return {
        "{epoch}/{lane}/{stream}#{place}".format(**roll["name"]): tuple(die["face"] for die in roll["dice"])
        for line in table.gm.get(f"{table.at}/lines")["lines"]
        for roll in table.gm.get(f"{table.at}/rolls?limit=200&line={line['line']}")["rolls"]
    }


def checked(table: Table) -> None:
    """Wait until a worker has looked at the history: a command of the gm waits, or is decided."""
    table.send(table.gm, {"type": "add", "amount": 1}, Prefer="wait=1")


def accept_history(table: Table) -> dict[str, Any]:
    """Have the gm accept the history that is in dispute; return the dispute."""
    ends = time.monotonic() + PATIENCE_S
    while (dispute := table.gm.get(table.at)["dispute"]) is None:
        assert time.monotonic() < ends, "no dispute is shown"
        checked(table)
    words = {"type": "accept_history", "reason": "the disk died", "lost": dispute["lost"]}
    answer = table.send(table.gm, {**words, "epoch": dispute["epoch"]}, Prefer="wait=20")
    assert answer.status_code == 200, answer.text
    assert json.loads(answer.text)["outcome"] == "accepted", answer.text
    return dict(dispute)


def restored(earlier: MemoryLog, memory: SigningMemory, directory: Path) -> MemoryLog:
    """Return a new store into which a backup of *earlier* is restored, as `rewound restore` does it."""
    storage = DirectoryStorage(directory)
    items = list(captured(earlier, storage, frozenset({"workers"})))
    check = BackupCheck(Keyring.of(KEY).keys, [])
    for item in items:
        check.take(item)
    log = MemoryLog()
    restoring.begin(log, "backup")
    found = restoring.put_encounters(log, storage, items, check.opened, time.time())
    restoring.put_records(log, items)
    suspend_open(log, found, memory, 2, time.time())
    restoring.done(log, "backup")
    return log


MOMENTS: Final = ("before", "proposed", "continued", "asked", "accepted", "after", "second")
"""When the store was copied: before an undo; with its proposal open; accepted, and `accept_line` not appended
yet, or not decided; early and late in the new line; and after a second undo."""


@pytest.mark.parametrize("how", ["put_back", "restored"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_no_die_falls_again_where_a_fight_of_several_lines_lost_its_newest_play(
    table: Table,
    log: Log,
    worker: Worker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    how: str,
    moment: str,
) -> None:
    monkeypatch.setattr(notary, "RECHECK_S", 0.0)
    copies: dict[str, MemoryLog] = {}

    def at(name: str) -> None:
        with worker.at_rest():
            copies[name] = copied(log)

    did(table, ROLL, ADD, END, ROLL, ROLL)
    at("before")
    proposal = made(table.gm("POST", f"{table.at}/undo", {"to": 3, "preview": True}))
    at("proposed")
    assert table.send(table.gm, proposal["acceptance"]).status_code == 200
    at("continued")
    worker.pause()
    table.gm.get(table.at)  # whoever looks has it begun
    head = log.head(proposal["line"])
    assert head is not None
    assert head.appended == head.folded + 1
    copies["asked"] = copied(log)
    worker.go_on()
    did(table, ROLL)
    at("accepted")
    did(table, END, ROLL, END, ROLL, END, ROLL, END, ROLL)
    at("after")
    undone(table, 8)
    did(table, {"type": "roll", "sides": 20}, END, ROLL)
    at("second")
    did(table, *(each for _ in range(6) for each in (END, ROLL, ROLL)))
    seen = ever_rolled(table)

    memory = worker.signing_memory
    assert memory is not None
    earlier = copies[moment]
    again = restored(earlier, memory, tmp_path / "files") if how == "restored" else earlier
    with served(again, memory, table) as here:
        kept = ever_rolled(here)
        accept_history(here)
        did(here, ROLL, END, ROLL)
        line = undone(here, 4)["line"]
        did(here, {"type": "roll", "sides": 12}, END, ROLL, END, ROLL)
        assert here.gm.get(here.at)["line"] == line
        thrown = {name: faces for name, faces in ever_rolled(here).items() if name not in kept}
        report = verify_fight(bundle.read_fight(here.gm("GET", f"{here.at}/bundle").data), BOTH)
    assert report.verdict.is_sound, report.verdict
    assert thrown
    assert not set(thrown) & set(seen), "these dice were seen before"
