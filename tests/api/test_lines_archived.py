"""A fight of several lines, some of them in the archive: it reads, audits, undoes and redoes as before."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.api.app import create_app
from service.audit import bundle
from service.audit.fight import verify_fight
from service.key_files import Keyring
from service.log import Log
from service.log.memory import MemoryLog
from service.stores.archive.archive_log import with_archive
from service.stores.archive.storage import DirectoryStorage
from service.stores.capacity import Capacity
from service.stores.encounter_index import EncounterIndex
from service.usecases.services import make_services
from tests.api.client import Api, Table
from tests.api.conftest import BOTH, KEY, until_it_listens
from tests.api.test_amendments import ADD, ROLL, accepted, contested, did, made
from tests.api.test_archive import ARCHIVE_KEYS, archiver, archiving, inner, is_cold, told
from tests.api.test_lines import undone

END = {"type": "end_round"}
ENDED = 5
"""Lines of the fight that ended, in their order; the sixth is played."""


@pytest.fixture
def place(tmp_path: Path) -> DirectoryStorage:
    return DirectoryStorage(tmp_path / "archive")


@pytest.fixture
def log(place: DirectoryStorage) -> Iterator[Log]:
    """Give a log with an archive, as every process has it."""
    kept = with_archive(MemoryLog(), place, ARCHIVE_KEYS)
    yield kept
    kept.close()


@pytest.fixture
def lines(table: Table) -> list[str]:
    """Play a fight with two undos in a row, both redone, and a ruling; return its lines in order."""
    did(table, ROLL, END, ADD, ROLL, ADD, END, ROLL)
    undone(table, 7)
    undone(table, 5)
    made(table.gm("POST", f"{table.at}/redo", {}), 200)
    made(table.gm("POST", f"{table.at}/redo", {}), 200)
    proposal = contested(table, 9, {"type": "add", "amount": 9})
    at = f"{table.at}/amendments/{proposal['amendment']}/accept"
    made(table.gm("POST", at, {"version": proposal["version"]}), 200)
    did(table, ROLL)
    found = [each["line"] for each in table.gm.get(f"{table.at}/lines")["lines"]]
    assert len(found) == ENDED + 1
    return found


@pytest.fixture
def fresh(log: Log, place: DirectoryStorage, table: Table) -> Iterator[Table]:
    """Give the same people at another process, which has read nothing yet."""
    services = make_services(
        with_archive(inner(log), place, ARCHIVE_KEYS),
        BOTH,
        ring=lambda _bucket: None,
        clock=time.time,
        keys=Keyring.of(KEY),
        mode="memory",
    )
    until_it_listens(services)
    app = create_app(services)
    yield Table(table.id, *(Api(app, who.token) for who in (table.gm, table.ada, table.bo)))
    services.outcomes.close()


def in_each(table: Table, lines: list[str]) -> Iterator[Table]:
    """Yield the people at the fight's address, then in each of its lines."""
    yield table
    for line in lines:
        yield Table(table.id, *(who.in_line(line) for who in (table.gm, table.ada, table.bo)))


AWAY = {
    "first": slice(0, 1),
    "middle": slice(1, 4),
    "ended": slice(0, ENDED),
    "played": slice(ENDED, None),
    "all": slice(0, None),
    "all, the last one first": slice(None, None, -1),
}


@pytest.mark.parametrize("away", AWAY)
def test_each_line_reads_as_before_whichever_are_archived(
    log: Log, place: DirectoryStorage, table: Table, lines: list[str], fresh: Table, away: str
) -> None:
    before = [told(each) for each in in_each(table, lines)]
    listed = table.gm.get("/v1/encounters")
    owner = EncounterIndex(log).find(table.id)
    assert owner is not None
    used = Capacity(log, EncounterIndex(log), time.time).usage(owner.owner)
    for line in lines[AWAY[away]]:
        archiver(inner(log), place).archive(line)
        assert is_cold(log, line)

    assert [told(each) for each in in_each(fresh, lines)] == before
    assert fresh.gm.get("/v1/encounters") == listed
    now = Capacity(log, EncounterIndex(log), time.time).usage(owner.owner)
    assert (now.encounters, now.commands) == (used.encounters, used.commands)
    for line in lines[AWAY[away]]:
        assert is_cold(log, line), "a read brings nothing back"


@pytest.mark.parametrize("away", AWAY)
def test_a_fight_goes_on_whichever_of_its_lines_are_archived(
    log: Log, place: DirectoryStorage, table: Table, lines: list[str], fresh: Table, away: str
) -> None:
    for line in lines[AWAY[away]]:
        archiver(inner(log), place).archive(line)
    with archiving(log, place):
        did(fresh, ADD, ROLL)
        first = accepted(fresh, made(fresh.gm("POST", f"{fresh.at}/undo", {"to": 6, "preview": True})))
        again = made(fresh.gm("POST", f"{fresh.at}/redo", {"preview": True}))
        accepted(fresh, again)
        did(fresh, ADD)
        proposal = contested(fresh, 4, {"type": "add", "amount": 2})
        accepted(fresh, proposal)
        did(fresh, ROLL)
        made(fresh.gm("POST", f"{fresh.at}/forks", {"at": 4}))
        assert fresh.gm("DELETE", fresh.at).status_code == 200
    assert first.id in [each["line"] for each in fresh.gm.get(f"{fresh.at}/lines")["lines"]]
    report = verify_fight(bundle.read_fight(fresh.gm("GET", f"{fresh.at}/bundle").data), BOTH)
    assert report.verdict.is_sound, report.verdict
