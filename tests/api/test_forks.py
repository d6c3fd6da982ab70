"""What if: who may fork where, what a fork knows, and that its parent never hears of it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from service.audit.evidence import stored
from service.audit.verify import verify
from service.log import Log
from service.stores.encounter_index import GRACE_S
from service.stores.expired_forks import delete_expired
from service.usecases import forking
from service.usecases.services import Services
from tests.api.client import Api, Table, is_problem
from tests.api.conftest import BOTH
from tests.api.test_amendments import ADD, ROLL, accepted, did, made

CLOSE = {"type": "close", "reason": "enough"}


def forked(who: Api, table: Table, at: int, *commands: Any) -> Any:
    """Return the fork that *who* makes."""
    return made(who("POST", f"{table.at}/forks", {"at": at, "commands": list(commands)}))


def test_TABLE_LINE_2_a_fork_goes_on_from_a_moment_with_dice_of_its_own(table: Table, log: Log) -> None:
    did(table, ROLL, ADD)
    before = table.gm.get(table.at)
    fork = forked(table.gm, table, 4, ADD, ROLL)
    assert (fork["parent"], fork["at"], fork["n"], "token" in fork) == (table.id, 4, 3, False)
    at = f"/v1/encounters/{fork['encounter']}"

    state = table.gm.get(f"{at}/state?min_version=3")["state"]
    played = table.gm.get(f"{table.at}/state?at=4")["state"]
    (roll,) = table.gm.get(f"{at}/rolls")["rolls"]
    assert state["counter"] == played["counter"] + 3 + roll["dice"][0]["face"]
    assert state["dice"]["lanes"] != played["dice"]["lanes"]
    answer = json.loads(table.gm.get(f"{at}/commits?limit=1")["commits"][0]["commit"])["events"][0]
    assert (answer["type"], answer["origin"]["parent"], answer["origin"]["n"]) == ("forked", table.id, 4)
    assert table.gm.get(table.at) == before
    assert table.gm.get(at)["origin"]["kind"] == "fork"

    did(Table(fork["encounter"], table.gm, table.ada, table.bo), CLOSE)
    assert str(verify(stored(log, fork["encounter"]), BOTH).verdict) == "valid_unsigned"


def test_where_something_is_sealed_from_its_maker_there_is_no_fork(table: Table) -> None:
    did(table, (table.ada, {"type": "choose", "number": 7}), ADD)
    for at in (4, 5):
        answer = table.gm("POST", f"{table.at}/forks", {"at": at})
        assert is_problem(answer, 409, "command-refused")["code"] == "sealed_here"
    forked(table.gm, table, 3)
    did(table, (table.bo, {"type": "choose", "number": 1}))
    fork = forked(table.gm, table, 5)  # all is revealed by now
    state = table.gm.get(f"/v1/encounters/{fork['encounter']}/state")["state"]
    assert state["choices"] == {"ada": 7}


def test_before_the_end_only_the_gm_forks_and_after_it_anybody(table: Table) -> None:
    did(table, ROLL)
    for who in (table.ada, table.bo):
        answer = who("POST", f"{table.at}/forks", {"at": 4})
        assert is_problem(answer, 409, "command-refused")["code"] == "not_gm"
    did(table, CLOSE)
    fork = forked(table.ada, table, 4)
    mine = table.ada.with_token(fork["token"])
    at = f"/v1/encounters/{fork['encounter']}"
    assert mine("POST", f"{at}/commands", ADD).status_code == 200
    is_problem(table.ada("GET", f"{at}/state"), 404, "not-found")
    answer = table.ada("POST", f"{table.at}/forks", {"at": 5})
    assert is_problem(answer, 409, "command-refused")["code"] == "closed_here"


def test_a_repeated_fork_is_the_same_fork(table: Table) -> None:
    did(table, ROLL)
    first, again = (
        table.gm("POST", f"{table.at}/forks", {"at": 4}, Idempotency_Key="what-if") for _ in range(2)
    )
    assert made(first)["encounter"] == made(again)["encounter"]
    assert again.headers["Idempotency-Replayed"] == "true"
    other = table.gm("POST", f"{table.at}/forks", {"at": 3}, Idempotency_Key="what-if")
    is_problem(other, 422, "idempotency-key-reused")


def test_a_fork_is_compared_with_its_parent(table: Table) -> None:
    did(table, ROLL, ADD)
    fork = forked(table.gm, table, 4, {"type": "add", "amount": 9})
    table.gm.get(f"/v1/encounters/{fork['encounter']}/state?min_version=2")
    answer = table.gm.get(f"{table.at}/diff?start=5&other={fork['encounter']}&events=true")
    assert [(e["event"]["type"], e["event"]["by"]) for e in answer["events"]["start"]] == [("counted", 3)]
    assert [(e["event"]["type"], e["event"]["by"]) for e in answer["events"]["end"]] == [("counted", 9)]


def test_a_fork_is_not_counted_as_a_fight_left_unfinished(
    table: Table, owner: Api, services: Services
) -> None:
    did(table, ROLL)
    entry = services.encounters.find(table.id)
    assert entry is not None
    before = Table.opened(owner)
    forked(table.gm, table, 4)
    after = Table.opened(owner)
    counts = [one.gm.get(f"{one.at}/state")["state"]["dice"]["abandoned_before"] for one in (before, after)]
    assert counts[1] == counts[0] + 1  # the one opened between them, and nothing else


# --- what is answered ---------------------------------------------------------------------------------


def test_a_fork_answers_what_became_of_the_command_it_was_given(table: Table) -> None:
    """A9: `n` was the command's, outcome, version and hash the opening's, and a refusal was not told."""
    did(table, ROLL)
    for commands, outcomes in (
        ((), []),
        ((ADD,), ["accepted"]),
        (({"type": "add", "amount": -1},), ["refused"]),
        ((ADD, {"type": "add", "amount": -1}), ["accepted", "refused"]),
        (({"type": "add", "amount": -1}, ADD), ["refused", "accepted"]),
    ):
        fork = forked(table.gm, table, 4, *commands)
        at = f"/v1/encounters/{fork['encounter']}"
        commits = table.gm.get(f"{at}/commits")["commits"]
        assert [each["outcome"] for each in fork["outcomes"]] == outcomes
        assert fork["outcome"] == (outcomes or ["accepted"])[-1]
        assert (fork["n"], fork["version"]) == (len(commits), len(commits)) == (1 + len(commands),) * 2
        assert fork["hash"] == commits[-1]["hash"]
        recorded = [table.gm.get(f"{at}/commands/{n}") for n in range(2, fork["n"] + 1)]
        assert fork["outcomes"] == recorded


def test_a_seat_named_like_one_of_the_parents_is_opened_in_a_fork(table: Table) -> None:
    did(table, ROLL)
    at = f"/v1/encounters/{forked(table.gm, table, 4)['encounter']}"
    seat = made(table.gm("POST", f"{at}/seats", {"seat": "ada", "role": "player", "creatures": []}))
    ada = table.gm.with_token(seat["token"])
    assert ada.get(at)["encounter"] == at.rpartition("/")[2]
    is_problem(table.ada("GET", at), 404, "not-found")
    is_problem(ada("GET", table.at), 404, "not-found")


# --- where they are listed, and how they end -----------------------------------------------------------


def test_forks_are_marked_where_encounters_are_listed_and_listed_under_their_parent(table: Table) -> None:
    """After the close a player's what-ifs stood among the gm's encounters, with nothing that said so."""
    did(table, ROLL)
    mine = forked(table.gm, table, 4)
    did(table, CLOSE)
    hers = forked(table.ada, table, 3)

    listed = {each["encounter"]: each for each in table.gm.get("/v1/encounters")["encounters"]}
    marks = {name: (e["made_by"], e["expires"]) for name, e in listed.items() if e["origin"]}
    assert marks == {
        mine["encounter"]: ("gm", mine["expires"]),
        hers["encounter"]: ("ada", hers["expires"]),
    }
    origin = listed[hers["encounter"]]["origin"]
    assert (origin["kind"], origin["parent"], origin["n"]) == ("fork", table.id, 3)
    found = listed[table.id]
    assert (found["origin"], found["expires"], found["made_by"]) == (None, None, None)
    assert table.gm.get(f"/v1/encounters/{mine['encounter']}")["expires"] == mine["expires"]
    assert table.gm.get(table.at)["expires"] is None

    forks = table.gm.get(f"{table.at}/forks")["forks"]
    assert [(e["encounter"], e["at"], e["made_by"]) for e in forks] == [
        (hers["encounter"], 3, "ada"),
        (mine["encounter"], 4, "gm"),
    ]
    assert [each["encounter"] for each in table.ada.get(f"{table.at}/forks")["forks"]] == [hers["encounter"]]
    assert table.bo.get(f"{table.at}/forks")["forks"] == []


def test_a_fork_is_deleted_before_it_expires_with_what_goes_on_from_it(
    table: Table, log: Log, services: Services
) -> None:
    did(table, ROLL)
    fork = Table(forked(table.gm, table, 4, ADD)["encounter"], table.gm, table.ada, table.bo)
    after = accepted(fork, made(table.gm("POST", f"{fork.at}/undo", {"to": 1, "preview": True})))
    gone = made(table.gm("DELETE", f"{table.at}/forks/{fork.id}"), 200)

    assert (gone["encounter"], gone["parent"], gone["at"]) == (fork.id, table.id, 4)
    for at in (fork.at, after.at):
        is_problem(table.gm("GET", f"{at}/state"), 410, "fork-expired")
        is_problem(table.gm("POST", f"{at}/commands", ADD), 410, "fork-expired")
    assert table.gm.get(f"{table.at}/forks")["forks"] == []
    listed = [each["encounter"] for each in table.gm.get("/v1/encounters")["encounters"]]
    assert listed == [table.id]
    again = made(table.gm("DELETE", f"{table.at}/forks/{fork.id}"), 200)
    assert (again["encounter"], again["expires"]) == (fork.id, gone["expires"])
    assert set(delete_expired(log, services.clock() + GRACE_S + 2)) == {fork.id, after.id}
    assert [log.head(each) for each in (fork.id, after.id)] == [None, None]
    assert table.gm.get(table.at)["version"] == 4


def test_a_player_deletes_its_own_forks_and_no_others(table: Table, owner: Api) -> None:
    did(table, ROLL)
    mine = forked(table.gm, table, 4)["encounter"]
    did(table, CLOSE)
    hers = forked(table.ada, table, 4)["encounter"]
    for who, fork in ((table.ada, mine), (table.bo, hers), (table.gm, table.id), (table.gm, "x")):
        is_problem(who("DELETE", f"{table.at}/forks/{fork}"), 404, "not-found")
    other = Table.opened(owner)
    is_problem(table.gm("DELETE", f"{other.at}/forks/{mine}"), 404, "not-found")
    made(table.ada("DELETE", f"{table.at}/forks/{hers}"), 200)
    assert [each["encounter"] for each in table.gm.get(f"{table.at}/forks")["forks"]] == [mine]


def test_there_are_so_many_forks_and_a_player_cannot_use_them_up(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """60 were made with a player's token in five seconds."""
    did(table, ROLL, CLOSE)
    monkeypatch.setattr(forking, "MOST", 5)
    monkeypatch.setattr(forking, "MOST_OF_A_SEAT", 2)
    first = forked(table.ada, table, 4)["encounter"]
    forked(table.ada, table, 4)
    is_problem(table.ada("POST", f"{table.at}/forks", {"at": 4}), 409, "too-many-forks")
    for _ in range(3):
        forked(table.gm, table, 4)
    is_problem(table.gm("POST", f"{table.at}/forks", {"at": 4}), 409, "too-many-forks")
    made(table.ada("DELETE", f"{table.at}/forks/{first}"), 200)
    forked(table.ada, table, 4)
    assert forking.MOST_OF_A_SEAT < forking.MOST


def test_a_fork_of_what_was_taken_in_is_an_encounter_of_its_own(table: Table, services: Services) -> None:
    """A13: it was refused as one that takes no commands, by an id that nobody knew."""
    did(table, ROLL, CLOSE)
    entry = services.encounters.find(table.id)
    assert entry is not None
    services.encounters._keep(replace(entry, imported=True))  # noqa: SLF001 - as a bundle that was taken in has it
    is_problem(table.gm("POST", f"{table.at}/commands", ADD), 409, "encounter-imported")
    fork = forked(table.gm, table, 4, ROLL)
    at = f"/v1/encounters/{fork['encounter']}"
    assert fork["outcome"] == "accepted"
    did(Table(fork["encounter"], table.gm, table.ada, table.bo), ADD)
    assert table.gm.get(at)["version"] == 3
