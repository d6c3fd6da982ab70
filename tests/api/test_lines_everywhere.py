"""A fight of several lines and what goes by one encounter's id: forks, secret keys, imports, tokens."""

from __future__ import annotations

import json
import time

from service.audit import bundle
from service.audit.fight import verify_fight
from service.audit.importing import AcceptedBundle, take
from service.core.fold import Folder
from service.key_files import Keyring
from service.log import Log
from service.log.memory import MemoryLog
from service.stores import imports, removals, resealing
from service.stores.encounter_index import GRACE_S, EncounterIndex
from service.stores.expired_forks import delete_expired
from service.stores.removing import Remover
from service.stores.secrets import EncounterSecrets
from tests.api.client import Table, is_problem
from tests.api.conftest import BOTH, KEY, Worker
from tests.api.test_amendments import ADD, ROLL, accepted, contested, did, made
from tests.api.test_fork_lifetime import LATER_S, keys_of
from tests.api.test_forks import forked
from tests.api.test_lines import undone
from tests.support.folding import fold_whole
from workers.fold import CommandFolder

NEW_KEY = bytes(range(1, 33))


def ruled(table: Table) -> list[str]:
    """Play a fight with an undo, a redo, a second undo and a ruling; return its lines in order."""
    did(table, ROLL, ADD, ROLL, {"type": "end_round"}, ROLL)
    undone(table, 5)
    made(table.gm("POST", f"{table.at}/redo", {}), 200)
    undone(table, 6)
    accepted(table, contested(table, 5, {"type": "add", "amount": 9}))
    did(table, ROLL)
    lines = [each["line"] for each in table.gm.get(f"{table.at}/lines")["lines"]]
    assert len(lines) == 5
    return lines


def test_a_fork_of_several_lines_expires_with_all_of_them(table: Table, log: Log) -> None:
    ruled(table)
    before = table.gm.get(table.at)
    fork = forked(table.gm, table, 4)["encounter"]
    there = Table(fork, table.gm, table.gm, table.gm)
    did(there, ROLL, ADD)
    undone(there, 2)
    did(there, ROLL)
    made(there.gm("POST", f"{there.at}/undo", {"to": 2, "preview": True}))
    lines = [each["line"] for each in there.gm.get(f"{there.at}/lines")["lines"]]
    assert len(lines) == 3
    assert table.gm("DELETE", f"{table.at}/forks/{fork}").status_code == 200
    for line in lines:
        is_problem(table.gm("GET", f"/v1/encounters/{line}"), 410, "fork-expired")

    gone = delete_expired(log, time.time() + LATER_S + GRACE_S)

    assert sorted(gone) == sorted(lines)
    assert all(keys_of(log, line) == (None, [], [], [], {}, None, None) for line in lines)
    assert table.gm.get(table.at) == before


def test_the_dice_of_a_fight_go_on_under_a_new_secret_key(table: Table, log: Log, worker: Worker) -> None:
    lines = ruled(table)
    worker.pause()
    found = [line for line in resealing.encounters(log) if resealing.reseal(log, line, (NEW_KEY, KEY))]
    assert found == [table.id], "one line has the seeds of all"
    assert sorted(resealing.encounters(log)) == sorted(lines)
    table.send(table.gm, ROLL, Prefer="respond-async")
    blob = log.secret(table.id)
    assert blob is not None
    EncounterSecrets.decrypt(table.id, blob, (NEW_KEY,))
    ring = Keyring((NEW_KEY,))
    before = len(log.commits(lines[-1], 0, 100))
    fold_whole(CommandFolder(log, Folder(log, BOTH), ring), lines[-1])
    assert b'"rolls":[{' in log.commits(lines[-1], before, 9)[-1].raw
    worker.go_on()


def test_a_token_and_a_key_of_before_count_in_every_line(table: Table) -> None:
    did(table, ADD)
    sent = table.send(table.ada, ADD, Idempotency_Key="ada-1")
    n = json.loads(sent.text)["n"]
    for _ in range(2):
        undone(table, n - 1)
        again = table.send(table.ada, ADD, Idempotency_Key="ada-1")
        assert (json.loads(again.text)["n"], again.headers["Idempotency-Replayed"]) == (n, "true")
        did(table, (table.ada, ADD))
    fresh = table.send(table.ada, ADD, Idempotency_Key="ada-2")
    assert json.loads(fresh.text)["n"] > n


def test_a_removed_import_leaves_no_line_behind(table: Table) -> None:
    ruled(table)
    raw = table.gm("GET", f"{table.at}/bundle").data
    assert verify_fight(bundle.read_fight(raw), BOTH).verdict.is_sound
    elsewhere = MemoryLog()
    taken = take(elsewhere, BOTH, "owner", raw, AcceptedBundle((), is_required=False))
    register = EncounterIndex(elsewhere)
    assert len(register.owned_by("owner", None, 50)) == 1
    earlier = list(imports.lines_of(elsewhere, taken.address) or {})
    assert len(earlier) == 4
    remover = Remover(elsewhere, Folder(elsewhere, BOTH), register)
    remover.check(taken.address)
    assert sorted(remover.lines(taken.address)) == sorted([taken.address, *earlier])
    remover.remove(taken.address, "00" * 32, "owner", 0.0)
    assert all(removals.find(elsewhere, line) is not None for line in (taken.address, *earlier))
    elsewhere.close()
