"""What if: who may fork where, what a fork knows, and that its parent never hears of it."""

from __future__ import annotations

import json
from typing import Any

from service.audit.evidence import stored
from service.audit.verify import verify
from service.encounter.host import Host
from service.log import Log
from tests.api.client import Api, Table, is_problem
from tests.api.conftest import BOTH
from tests.api.test_amendments import ADD, ROLL, did, made

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
    told = json.loads(table.gm.get(f"{at}/commits?limit=1")["commits"][0]["commit"])["events"][0]
    assert (told["type"], told["origin"]["parent"], told["origin"]["n"]) == ("forked", table.id, 4)
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
    told = table.gm.get(f"{table.at}/diff?from=5&with={fork['encounter']}")
    assert [(e["type"], e["by"]) for e in told["events"]["from"]] == [("counted", 3)]
    assert [(e["type"], e["by"]) for e in told["events"]["to"]] == [("counted", 9)]


def test_a_fork_is_not_counted_as_a_fight_left_unfinished(table: Table, owner: Api, host: Host) -> None:
    did(table, ROLL)
    entry = host.register.find(table.id)
    assert entry is not None
    before = Table.opened(owner)
    forked(table.gm, table, 4)
    after = Table.opened(owner)
    counts = [one.gm.get(f"{one.at}/state")["state"]["dice"]["abandoned_before"] for one in (before, after)]
    assert counts[1] == counts[0] + 1  # the one opened between them, and nothing else
